import type { Plan, PlannedCollection } from './plan.js'

/**
 * The identities of the request that stand on a column in which no search finds a text, such as one of bytes. Undefined where
 * there are none. An erasure ends in `error` for them. An access says that it has not searched for them.
 */
export function unsearchableIdentities(
  { findings }: Pick<Plan, 'findings'>,
  { dataset, collection, entries, identities }: PlannedCollection,
): string | undefined {
  const columns = new Set(
    findings.flatMap(({ type, loc }) =>
      type === 'unsearchable_identity' && loc[0] === dataset && loc[1] === collection ? [loc[2]] : [],
    ),
  )
  const names = new Set(
    identities.flatMap(({ entry, property }) => (columns.has(entries[entry]?.fields[0]?.name) ? [property] : [])),
  )
  return names.size === 0 ? undefined : `columns not searchable: ${[...names].join(', ')}`
}
