import type { Expression } from './sql-shapes.js'

/** One value for each row of a batch, as text, and what makes it one of its type. */
export interface BoundList {
  readonly values: readonly (string | null)[]
  typed(text: Expression): Expression
}
