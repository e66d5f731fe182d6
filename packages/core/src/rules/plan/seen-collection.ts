import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import { withMemberColumns } from '../draft/member-columns.js'
import type { CollectionNode } from './collection-node.js'
import { knownMembers } from './known-members.js'

/**
 * A live collection with the columns that names are looked for in: members stand as columns with dotted names, and what
 * only the dataset describes stands there too. Undefined where no live collection is known.
 */
export function seenCollection(node: CollectionNode): CatalogueCollection | undefined {
  const { live, fields } = node
  if (!live) return undefined
  const seen = withMemberColumns(live)
  const names = new Set([...seen.columns, ...live.columns].map(({ name }) => name))
  const described = live.schemaless ? [...fields.values()].filter(({ path }) => path.length === 1) : []
  const more = [...described.filter(({ field }) => field.fields.length === 0), ...knownMembers(node)]
  const columns = more.filter(({ name }) => !names.has(name)).map(({ name, kind, array }) => column(name, kind, array))
  const [declared] = live.primaryKey.length > 0 ? [live.primaryKey] : node.keys
  return { ...seen, columns: [...seen.columns, ...columns], primaryKey: declared ?? [] }
}

function column(name: string, kind: Column['kind'] | undefined, array: boolean): Column {
  return { name, type: '', nullable: true, ...(kind && { kind }), ...(array && { array: true as const }) }
}
