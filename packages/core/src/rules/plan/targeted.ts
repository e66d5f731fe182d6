import type { CollectionNode, FieldNode } from './collection-node.js'

/** By collection, the fields to deliver, in their order. */
export type Targeted = ReadonlyMap<string, readonly TargetedField[]>

/** A field with the names of the rules that deliver it. */
export interface TargetedField {
  readonly field: FieldNode
  readonly rules: readonly string[]
}

/** Returns the names of the access rules that deliver a field. Pure. Called once per declared field. */
export type Targets = (node: CollectionNode, field: FieldNode) => readonly string[]
