import type { FieldNode } from './collection-node.js'

/** By collection, the fields to deliver, in their order. */
export type Targeted = ReadonlyMap<string, readonly TargetedField[]>

/** A field with the names of the rules that deliver it. */
export interface TargetedField {
  readonly field: FieldNode
  readonly rules: readonly string[]
}
