import { sql } from 'kysely'
import type { Expression } from './erasing/sql-shapes.js'

const [capitals, small] = ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'].map((letters) =>
  sql.lit(letters),
)

/**
 * Returns the text with small letters, where only ASCII letters have two cases, as `inSmallLetters` of core does. LOWER of
 * most servers also makes a `k` of the Kelvin sign: it would count and write rows of another person.
 */
export function smallLetters(text: Expression): Expression {
  return sql`translate(${text}, ${capitals}, ${small})`
}
