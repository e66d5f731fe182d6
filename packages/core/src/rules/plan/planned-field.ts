import type { ValueKind } from '../../model/value.js'
import { castValue } from '../value/cast-value.js'
import type { CollectionNode, FieldNode } from './collection-node.js'

export interface PlannedCondition {
  readonly path: readonly string[]
  readonly kind?: ValueKind
  readonly equals: string | number | boolean
}

export interface PlannedField {
  readonly name: string
  readonly path: readonly string[]
  readonly kind?: ValueKind
  readonly caseInsensitive: boolean
  /** Outer blanks do not count in comparisons. */
  readonly trimmed?: true
  readonly placeholders: readonly (string | number | boolean)[]
  /** Arrays up to this segment of the path deliver only matched elements. */
  readonly filteredDepth: number
}

export const unconditional: readonly PlannedCondition[] = []

/** The conditions on a collection, in the types of their fields. */
export function plannedConditionsOf(
  node: CollectionNode,
  equalities: Readonly<Record<string, string | number | boolean>>,
): readonly PlannedCondition[] {
  return Object.entries(equalities).map(([name, equals]) => {
    const declared = node.fields.get(name)
    const held = declared ? declared.kind : node.live?.columns.find((column) => column.name === name)?.kind
    // some servers call a column of small numbers a flag, and it holds others than 0 and 1
    const kind = held === 'boolean' && castValue(equals, held) === undefined ? undefined : held
    return { path: declared?.path ?? name.split('.'), ...(kind && { kind }), equals }
  })
}

/** A field in the form in which a run compares it. */
export function plannedField(field: FieldNode): PlannedField {
  const { name, path, kind, filteredDepth } = field
  const caseInsensitive = field.field.service_meta.case_insensitive === true
  const { placeholders } = field.field.service_meta
  return kind
    ? { name, path, kind, caseInsensitive, placeholders, filteredDepth }
    : { name, path, caseInsensitive, placeholders, filteredDepth }
}

/** The texts to search for: the given one and its lower case, or any case. */
export type Spellings = 'given' | 'any case'
