import type { CollectionNode, FieldNode } from './dataset-graph.js'
import type { Link, OpenLink, PlannedCollection, PlannedCondition, PlannedField, PlannedJudging, Slot } from './plan.js'

/** Names of the rules that deliver each field. */
export type Rules = ReadonlyMap<string, readonly string[]>

/** By field, what it is read for. */
export type Reasons = Map<string, readonly string[]>

/** What leads into a collection and out of it, and what is compared on the way, each with what for. */
export function usedFields(
  { slots, links }: { readonly slots: readonly Slot[]; readonly links: readonly Link[] },
  judging: PlannedJudging,
  open: readonly OpenLink[],
): Reasons {
  const used: Reasons = new Map()
  const take = (
    { fields, when }: { readonly fields: readonly PlannedField[]; readonly when: readonly PlannedCondition[] },
    reason: string,
  ) => {
    for (const field of fields) use(used, field.name, reason)
    for (const condition of when) use(used, condition.path.join('.'), 'condition')
  }
  for (const slot of slots) take(slot, slot.compared ? 'owner' : 'entry')
  for (const link of [...links, ...open]) take(link, 'reference')
  for (const owner of [...judging.owners, ...judging.open]) take(owner, 'owner')
  for (const { field } of judging.identities) use(used, field.name, 'owner')
  return used
}

/** Notes what a field is read for. */
export function use(used: Reasons, name: string, reason: string): void {
  const known = used.get(name) ?? []
  if (!known.includes(reason)) used.set(name, [...known, reason].sort())
}

/** Most fields are read for nothing else, and share this list. It is the last of the alphabet. */
const asTarget: readonly string[] = ['target']

/** Declared fields that are read, and what for. */
export function readFields(targeted: Rules, used: Reasons): PlannedCollection['read'] {
  const read: PlannedCollection['read'][number][] = []
  for (const field of targeted.keys()) {
    const reasons = used.get(field)
    read.push({ field, reasons: reasons ? [...reasons, ...asTarget] : asTarget })
  }
  for (const [field, reasons] of used) if (!targeted.has(field)) read.push({ field, reasons })
  return read
}

/** The top-level columns of what is read, described ones first, and what is left out with the others. */
export function readColumns(node: CollectionNode, targeted: Rules, used: Reasons) {
  const further = new Set<string>()
  for (const name of used.keys()) if (!node.fields.has(name)) further.add(name.split('.')[0] as string)
  const columns = new Set<string>()
  for (const { name, path } of node.fields.values()) {
    const column = path[0] as string
    if (targeted.has(name) || used.has(name) || further.has(column)) columns.add(column)
  }
  for (const column of further) columns.add(column)
  const notRead: string[] = []
  for (const { name, path } of node.fields.values()) if (!columns.has(path[0] as string)) notRead.push(name)
  for (const { name } of node.undescribed) notRead.push(name)
  return { columns: [...columns], notRead }
}

/** An object whose members are described is delivered member by member: what is not described, or not asked for, stays. */
export function deliveries(node: CollectionNode, targeted: Rules): PlannedCollection['deliver'] {
  const delivered = new Map<string, (readonly string[])[]>()
  for (const [name, rules] of targeted) {
    const { field, path } = node.fields.get(name) as FieldNode
    for (const rule of rules) {
      const paths = delivered.get(rule) ?? []
      if (paths.length === 0) delivered.set(rule, paths)
      if (field.fields.length === 0) paths.push(path)
    }
  }
  return [...delivered].map(([rule, paths]) => ({ rule, paths }))
}
