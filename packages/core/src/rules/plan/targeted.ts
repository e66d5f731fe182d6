import type { FieldNode } from './collection-node.js'

/** Per collection, what is delivered of it, in the order of its fields. */
export type Targeted = ReadonlyMap<string, readonly TargetedField[]>

/** A field with the names of the rules that deliver it. */
export interface TargetedField {
  readonly field: FieldNode
  readonly rules: readonly string[]
}
