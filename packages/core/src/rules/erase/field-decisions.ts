import { isNullOnce } from '../../model/catalogue.js'
import type { MaskingStrategy } from '../../model/masking-strategy.js'
import type { Retain } from '../../model/service-meta.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { sealedColumn } from '../plan/dataset-graph.js'
import { liveAt } from '../plan/known-members.js'
import type { FieldRetention, PlannedMask, RetainedField } from '../plan/plan.js'
import { impossibleParts, sealedParts } from './impossible-parts.js'

/** What the erasure rules of a policy ask of one field. */
export interface ErasureTarget {
  readonly rule: string
  /** Absent where the rule names no strategy. */
  readonly strategy: MaskingStrategy | undefined
  /** True where the field's own categories match, without inherited ones. */
  readonly own: boolean
  /** Present where no category of the field matches: the categories that its name suggests. */
  readonly inferred?: readonly string[]
}

/** Returns the first erasure rule that asks for a field. Pure. Called once per declared field. */
export type ErasureTargets = (node: CollectionNode, field: FieldNode) => ErasureTarget | undefined

/** What happens to the fields of one collection, decided before any row is known. */
export interface FieldDecisions {
  readonly masks: readonly PlannedMask[]
  readonly retained: readonly RetainedField[]
  readonly keeps: readonly FieldRetention[]
  readonly targeted: readonly (readonly string[])[]
  /** True where a rule asks to delete whole rows. */
  readonly deletes: boolean
  /** What cannot be done, each with an alternative. */
  readonly impossible: readonly Finding[]
  /** The same for fields that cannot even be read, so that no row shows whether they hold something. */
  readonly sealed: readonly Finding[]
}

/**
 * Decides field by field. The first that applies wins: `retain`, `read_only`, the field's own strategy, the rule's
 * strategy.
 */
export function fieldDecisions(
  node: CollectionNode,
  targets: ErasureTargets,
  /** Names of fields that references lead to, and of fields that refer. */
  references: { readonly to: ReadonlySet<string>; readonly from: ReadonlySet<string> },
  /** The name of the member that leaves open whose a part of a row is, by the path of a field there. */
  doubtOf: (path: readonly string[]) => string | undefined = () => undefined,
): FieldDecisions {
  const masks: PlannedMask[] = []
  const retained: RetainedField[] = []
  const keeps: FieldRetention[] = []
  const targeted: (readonly string[])[] = []
  const impossible: Finding[] = []
  const sealed: Finding[] = []
  const primary = new Set(node.live && node.live.primaryKey.length > 0 ? node.live.primaryKey : declaredKey(node))
  // The database needs these for its foreign keys: it rarely allows NULL or another value, and such a change would cut
  // the row off.
  const foreign = new Set(node.live?.foreignKeys.flatMap(({ columns }) => columns))
  const words = fieldText(node)
  let deletes = false
  let whole: readonly string[] | undefined
  for (const field of node.fields.values()) {
    const { service_meta: meta } = field.field
    if (whole && isBelow(field.path, whole)) continue
    keeps.push(...retainedOf(node, field))
    const target = targets(node, field)
    if (!target) continue
    const isKey = primary.has(field.name) || references.to.has(field.name) || foreign.has(field.name)
    // A category that a key or a reference inherits does not describe it (see docs/semantics.md, 'Keys').
    if ((isKey || references.from.has(field.name)) && !target.own) continue
    if (target.inferred && references.from.has(field.name)) continue
    const asked = target.inferred ? ofGuess(target.strategy) : target.strategy
    if (asked?.strategy === 'delete') deletes = true
    const { retain, readOnly, strategy: named } = words.get(field.name) as FieldText
    const strategy = named ?? (asked?.strategy === 'delete' ? undefined : asked)
    const doubt = doubtOf(field.path)
    if (field.field.fields.length > 0) {
      // The name of an object does not describe its members. They have their own names.
      if (target.inferred || doubt !== undefined || !masksWhole(node, field, target, strategy, references)) continue
      whole = field.path
    }
    const stay = (reason: string) => retained.push({ field: field.name, path: field.path, reason })
    if (doubt !== undefined) {
      stay(`undecided by ${doubt}`)
      keeps.push({ path: field.path })
      continue
    }
    targeted.push(field.path)
    if (retain && !isTimed(retain)) stay(retain.reason)
    else if (readOnly) stay('read_only')
    else if (strategy?.strategy === 'preserve') stay('preserve')
    else if (isKey && !meta.masking_strategy) stay('key')
    else if (target.inferred && field.column?.generated) stay('computed by the database')
    else {
      const categories = target.inferred ?? field.categories
      const mask = {
        ...maskOf(node, field, strategy, categories),
        rule: target.rule,
        ...(target.inferred && { inferred: true as const }),
        ...(retain && { retain }),
      }
      sealed.push(...sealedParts(node, field))
      // A retained field may need no write at all. Only the rows show that.
      if (!retain) impossible.push(...impossibleParts(node, field, mask))
      masks.push(mask)
    }
  }
  return { masks, retained, keeps, targeted, deletes, impossible, sealed }
}

/**
 * A field found by its name alone is only masked. The rule's strategy might need another type, or delete the whole row.
 */
function ofGuess(strategy: MaskingStrategy | undefined): MaskingStrategy | undefined {
  return strategy?.strategy === 'preserve' ? strategy : undefined
}

/** What a field says about its erasure, or what the nearest field above it says. */
interface FieldText {
  readonly retain: Retain | undefined
  readonly readOnly: boolean
  readonly strategy: MaskingStrategy | undefined
}

/**
 * The settings by name of field. Each of the three is inherited separately, so a retained object stays even if one of
 * its members names a strategy.
 */
function fieldText(node: CollectionNode): ReadonlyMap<string, FieldText> {
  const words = new Map<string, FieldText>()
  for (const { name, path, field } of node.fields.values()) {
    const { retain, read_only, masking_strategy } = field.service_meta
    const above = words.get(path.slice(0, -1).join('.'))
    words.set(name, {
      retain: retain ?? above?.retain,
      readOnly: read_only || above?.readOnly === true,
      strategy: masking_strategy ?? above?.strategy,
    })
  }
  return words
}

/**
 * The settings that keep a row from being deleted while the field holds something, whether or not a rule asks for the
 * field.
 */
function retainedOf(node: CollectionNode, field: FieldNode): FieldRetention[] {
  const { service_meta: meta } = field.field
  // A column that cannot be searched inside is retained whole.
  const path = sealedColumn(node, field) ? field.path.slice(0, 1) : field.path
  // A computed column holds nothing of its own to retain.
  const isReadOnly = meta.read_only && !field.column?.generated
  if (isReadOnly || meta.masking_strategy?.strategy === 'preserve') return [{ path }]
  return meta.retain ? [{ path, retain: meta.retain }] : []
}

/** The fields of the primary key that the dataset declares. */
export function declaredKey(node: CollectionNode): string[] {
  return [...node.fields.values()].filter(({ field }) => field.service_meta.primary_key).map(({ name }) => name)
}

/** Whether the retention ends. Then the run decides whether it still applies. */
function isTimed(retain: Retain): boolean {
  return retain.until !== undefined
}

const isBelow = (path: readonly string[], above: readonly string[]) =>
  path.length > above.length && above.every((segment, at) => path[at] === segment)

/**
 * Whether an object is masked as a whole: its own categories ask for it, nothing in it is retained, and no text
 * replaces it.
 */
function masksWhole(
  node: CollectionNode,
  field: FieldNode,
  target: ErasureTarget,
  strategy: MaskingStrategy | undefined,
  references: { readonly to: ReadonlySet<string>; readonly from: ReadonlySet<string> },
): boolean {
  if (!target.own || field.array || (strategy?.strategy ?? 'null_rewrite') !== 'null_rewrite') return false
  return [...node.fields.values()].every(({ name, path, field: { service_meta: meta } }) => {
    if (!isBelow(path, field.path)) return true
    const isLink =
      references.to.has(name) || references.from.has(name) || meta.primary_key || meta.identity !== undefined
    return !isLink && !meta.retain && !meta.read_only && meta.masking_strategy === undefined
  })
}

function maskOf(
  node: CollectionNode,
  field: FieldNode,
  named: MaskingStrategy | undefined,
  dataCategories: readonly string[],
) {
  const { column, path } = field
  const isColumn = path.length === 1 && column !== undefined && !node.live?.schemaless
  const takesText = field.kind === 'string' && !(path.length === 1 && column?.values)
  const isRequired = isColumn && !column.nullable && !column.array
  const needsText = takesText && (isRequired || isNullOnce(node.live, path))
  const strategy: MaskingStrategy =
    named ??
    (needsText
      ? { strategy: 'random_string_rewrite', configuration: { length: 30 } }
      : { strategy: 'null_rewrite', configuration: {} })
  const lengths = [field.field.service_meta.length, isColumn ? column.length : undefined].filter(
    (each) => each !== undefined,
  )
  return {
    field: field.name,
    path,
    strategy,
    dataCategories,
    ...(lengths.length > 0 && { maxLength: Math.min(...lengths) }),
    ...(isUnsampled(node, path) && { unsampled: true as const }),
    ...(isColumn && column.array && { list: true as const }),
  }
}

function isUnsampled(node: CollectionNode, path: readonly string[]): boolean {
  const { schemaless = false, sampled = 0 } = node.live ?? {}
  return schemaless && sampled > 0 && liveAt(node, path) === undefined
}

/**
 * Whether a description deletes the rows of a collection although a rule asks for none of its fields, or only for keys.
 */
export function deletesUntargeted(node: CollectionNode, { targeted }: FieldDecisions, asked: ErasureTargets): boolean {
  if (node.collection.service_meta.erase !== 'delete' || targeted.length > 0) return false
  const fields = [...node.fields.values()]
  return fields.every(({ categories }) => categories.length === 0) || fields.some((field) => asked(node, field))
}
