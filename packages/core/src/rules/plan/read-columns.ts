import type { ErasurePlan } from '../erase/erasure-plan.js'
import type { CollectionNode } from './collection-node.js'
import type { OpenLink, PlannedCollection } from './plan.js'
import type { Draft } from './plan-draft.js'
import type { PlannedField } from './planned-field.js'
import type { PlannedJudging } from './planned-judging.js'
import { isSpelled } from './spelled-column.js'
import type { TargetedField } from './targeted.js'

/** The fields that are read of a collection besides those the policy asks for. */
interface UsedFields {
  /** By name, each with its reasons. */
  readonly fields: Map<string, readonly string[]>
  /** Columns that no table has: exact texts of keys that its columns refer to. */
  readonly spelled: Set<string>
}

/** The fields of entries and references, those that are compared, and those that an erasure needs. */
export function usedFields(
  { entries, links }: Pick<Draft, 'entries' | 'links'>,
  judging: PlannedJudging,
  { knownBy, doubts }: Required<Pick<PlannedCollection, 'knownBy' | 'doubts'>>,
  open: readonly OpenLink[],
  erasing: ReturnType<ErasurePlan['reads']['get']>,
): UsedFields {
  const used: UsedFields = { fields: new Map(), spelled: new Set() }
  const takeField = ({ name, path: [column] }: PlannedField, reason: string) => {
    use(used, name, reason)
    if (isSpelled(column)) used.spelled.add(column as string)
  }
  const take = ({ fields, when }: Pick<OpenLink, 'fields' | 'when'>, reason: string) => {
    for (const field of fields) takeField(field, reason)
    for (const condition of when) use(used, condition.path.join('.'), 'condition')
  }
  for (const entry of entries) take(entry, entry.compared ? 'owner' : 'entry')
  for (const link of [...links, ...open]) take(link, 'reference')
  for (const owner of [...judging.owners, ...judging.open]) take(owner, 'owner')
  for (const { field } of judging.identities) takeField(field, 'owner')
  for (const { field } of knownBy) takeField(field, 'identity')
  for (const path of doubts.flatMap(({ left }) => left)) use(used, path.join('.'), 'undecided')
  for (const [name, reason] of erasing ?? []) {
    if (isSpelled(name)) used.spelled.add(name)
    else use(used, name, reason)
  }
  return used
}

function use({ fields }: UsedFields, name: string, reason: string): void {
  const known = fields.get(name)
  if (!known) fields.set(name, [reason])
  else if (!known.includes(reason)) {
    const after = known.findIndex((other) => other > reason)
    fields.set(name, known.toSpliced(after === -1 ? known.length : after, 0, reason))
  }
}

/** Most fields have only this reason and share this list. It sorts after all others. */
const asTarget: readonly string[] = ['target']

export function readFields(targeted: readonly TargetedField[], { fields }: UsedFields): PlannedCollection['read'] {
  const read = targeted.map(({ field: { name } }) => {
    const reasons = fields.get(name)
    return { field: name, reasons: reasons ? [...reasons, ...asTarget] : asTarget }
  })
  for (const [name, reasons] of fields)
    if (!targeted.some(({ field }) => field.name === name)) read.push({ field: name, reasons })
  return read
}

/**
 * The top-level columns to read: described ones first, then others, then exact texts of keys. Also the fields and
 * columns that are not read.
 */
export function readColumns(
  node: CollectionNode,
  targeted: readonly TargetedField[],
  { fields, spelled }: UsedFields,
): Pick<PlannedCollection, 'columns' | 'notRead'> {
  const further = new Set<string>()
  for (const name of fields.keys()) if (!node.fields.has(name)) further.add(name.split('.')[0] as string)
  const columns = new Set<string>()
  let next = 0
  for (const field of node.fields.values()) {
    const column = field.path[0] as string
    const isTargeted = targeted[next]?.field === field
    if (isTargeted) next++
    if (isTargeted || fields.has(field.name) || further.has(column)) columns.add(column)
  }
  for (const column of further) columns.add(column)
  const notRead: string[] = []
  for (const { name, path } of node.fields.values()) if (!columns.has(path[0] as string)) notRead.push(name)
  for (const { name } of node.undescribed) notRead.push(name)
  return { columns: [...columns, ...spelled], notRead }
}
