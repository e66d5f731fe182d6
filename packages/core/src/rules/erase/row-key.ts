import { enforcedKeys } from '../../model/catalogue.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { PlannedErasure } from '../plan/plan.js'
import { declaredKey } from './field-decisions.js'

interface RowKey {
  readonly names: readonly string[]
  readonly keySource: PlannedErasure['keySource']
}

/** The key by which the rows of a collection are written: one that a write does not change, if there is one. */
export function keyOf(node: CollectionNode): RowKey {
  const { live } = node
  const primary = live?.primaryKey ?? []
  const required = new Set(live?.columns.filter((column) => !column.nullable).map(({ name }) => name))
  const unique = enforcedKeys(live).filter((key) => key.every((column) => required.has(column)))
  const keys = [...(primary.length > 0 ? [primary] : []), ...unique]
  const names = keys.find((key) => rewrittenIn(node, key).length === 0) ?? keys[0]
  if (names === primary) {
    // rows that an unenforced key names are counted before they are written, as with a key that only the dataset declares
    return { names, keySource: live?.keysEnforced === false ? 'declared' : 'primary key' }
  }
  if (names) return { names, keySource: 'unique key' }
  const declared = declaredKey(node).filter((name) => node.fields.get(name)?.path.length === 1)
  return declared.length > 0 ? { names: declared, keySource: 'declared' } : { names: [], keySource: 'none' }
}

/** The columns that a write may change without being told to. */
function rewrittenIn({ live }: CollectionNode, names: readonly string[]): readonly string[] {
  return names.filter((name) => live?.columns.some((column) => column.name === name && column.rewritten))
}

const isGenerated = ({ live }: CollectionNode, name: string) =>
  live?.columns.some((column) => column.name === name && column.generated)

/** No row could be read again after it was written, so nobody could say what became of it. */
export function rewrittenKey(node: CollectionNode, names: readonly string[]): Finding[] {
  // a key may be computed of columns that stay
  const moving = rewrittenIn(node, names).filter((name) => !isGenerated(node, name))
  if (moving.length === 0) return []
  const message = `'${node.address}' cannot be masked: its rows are identified by ${names.join(', ')}, and the database writes ${moving.join(', ')} anew with each change of a row. Add a unique key over columns that stay, delete the rows (service_meta: {erase: 'delete'}), or keep its fields with 'read_only'.`
  return [
    { type: 'erasure_impossible', severity: 'error', loc: [node.dataset.service_key, node.collection.name], message },
  ]
}

export function keyFindings(node: CollectionNode, { names: key, keySource }: RowKey): Finding[] {
  const loc = [node.dataset.service_key, node.collection.name]
  const declared = declaredKey(node)
  const differs = declared.length > 0 && [...declared].sort().join('\0') !== [...key].sort().join('\0')
  if (differs && keySource !== 'none') {
    const message = `'${node.address}' declares the primary key ${declared.join(', ')}, but its rows are identified by its ${keySource} ${key.join(', ')}: correct the description.`
    return [{ type: 'primary_key_differs', severity: 'warning', loc, message }]
  }
  if (keySource !== 'none') return []
  const message = `'${node.address}' has no key, so its rows are identified by all their values that are read: rows that somebody else's rows equal are not erased. Set 'primary_key' on the fields that name a row.`
  return [{ type: 'missing_primary_key', severity: 'warning', loc, message }]
}
