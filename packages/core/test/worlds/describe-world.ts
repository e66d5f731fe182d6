import type { World, WorldReference, WorldTable } from './world.js'

/* What the datasets say of a world: parts of it, and nothing that is not so. */

const directions = {
  owner: 'from',
  party: 'from',
  names: 'both',
  theirs: 'to',
  handler: 'none',
  parent: 'none',
  catalogue: 'none',
} as const

const categories: Readonly<Record<string, string>> = {
  note: 'user.content',
  remark: 'user.content',
  full_name: 'user.name',
  email: 'user.contact.email',
  phone: 'user.contact.phone_number',
}

type Tables = Pick<World, 'tables'>

function referenceMeta({ tables }: Tables, reference: WorldReference, part: number) {
  const { name, to, columns, toColumns, role, said } = reference
  return {
    dataset: tables.find((table) => table.name === to)?.dataset,
    field: `${to}.${toColumns[part]}`,
    ...(said === 'with direction' && { direction: directions[role] }),
    ...(columns.length > 1 && { group: name }),
  }
}

function fieldsOf(world: Tables, table: WorldTable): object[] {
  const { key, columns, references, identities, placeholders, targeted, special, keyed } = table
  const said = references.filter((reference) => reference.said !== 'no')
  const sayNothing = (reference: WorldReference) =>
    Object.values(world.tables.find(({ name }) => name === reference.to)?.placeholders ?? {}).filter(() =>
      reference.toColumns.includes('code'),
    )
  return [
    ...key.map(({ name }) => ({ name, service_meta: { primary_key: keyed } })),
    ...columns.map(({ name }) => ({
      name,
      data_categories: targeted && categories[name] ? [categories[name]] : [],
      service_meta: {
        ...(identities[name] && { identity: identities[name] }),
        ...(placeholders[name] && { placeholders: [placeholders[name]] }),
      },
    })),
    ...said.flatMap((reference) =>
      reference.columns.map(({ name }, part) => ({
        name,
        service_meta: {
          placeholders: sayNothing(reference),
          references: [referenceMeta(world, reference, part)],
        },
      })),
    ),
    ...(special === 'read generated'
      ? [{ name: 'shouted', data_categories: targeted ? ['user.content'] : [], service_meta: { read_only: true } }]
      : []),
    ...(special === 'touched' ? [{ name: 'touched' }] : []),
  ]
}

/** The name under which a view shows a table. */
export const viewName = (table: string): string => `v_${table}`

export type Mode = 'access' | 'mask' | 'delete'

/** The datasets of a world, those without collections left out. */
export function describeWorld(world: Tables, mode: Mode, deletesAll: boolean) {
  const collectionsOf = (dataset: 'a' | 'b') =>
    world.tables
      .filter((table) => table.dataset === dataset && table.said !== 'no')
      .flatMap((table) => {
        const { name, said, owner, onShared, others, deletes, special } = table
        const collection = {
          name,
          fields: fieldsOf(world, table),
          service_meta: {
            ...(owner && { owner }),
            ...(said === 'skipped' && { skip_processing: true }),
            ...(onShared === 'erase' && { on_shared: onShared }),
            ...(others && { others }),
            ...(mode === 'delete' && deletes && !deletesAll && { erase: 'delete' }),
          },
        }
        const skips = { ...collection.service_meta, skip_processing: true }
        if (special === 'view') return [collection, { ...collection, name: viewName(name) }]
        if (special === 'skipped view')
          return [collection, { ...collection, name: viewName(name), service_meta: skips }]
        return [collection]
      })
  return (['a', 'b'] as const)
    .map((key) => ({ service_key: key, collections: collectionsOf(key) }))
    .filter(({ collections }) => collections.length > 0)
}

/** What is asked for: everything about a person. */
export function policyOf(mode: Mode, { delivers, deletesAll }: { delivers: boolean; deletesAll: boolean }) {
  const everything = { matches: 'ANY', values: ['user'] }
  const access = { service_key: 'deliver', action_type: 'access', data_categories: everything }
  const erasure = {
    service_key: 'erase',
    action_type: 'erasure',
    data_categories: everything,
    ...(mode === 'delete' && deletesAll && { masking_strategy: { strategy: 'delete' } }),
  }
  return {
    service_key: 'everything',
    rules: mode === 'access' ? [access] : [erasure, ...(delivers ? [access] : [])],
  }
}
