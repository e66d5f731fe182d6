import type { Json } from './bank.js'
import type { NeutralDataset } from './datasets.js'

interface Reference {
  readonly dataset: string
  readonly field: string
  readonly direction: 'to' | 'from' | null
}

/**
 * The datasets with a direction on each reference that has none: away from the collections that hold the identity, and
 * among those that lie equally far from these, from the first of `order` to the last. A reference described at the nearer
 * end leads `to` what is part of the person, one at the farther end comes `from` its owner.
 */
export function directedAway(property: string, order: readonly string[] = []) {
  return (given: Json): Json => {
    const datasets = given['datasets'] as readonly NeutralDataset[]
    const far = distances(datasets, property)
    const rank = (address: string) => [far.get(address) ?? Number.POSITIVE_INFINITY, place(order, address)] as const
    return {
      datasets: mapReferences(datasets, (from, reference) => {
        if (reference.direction !== null) return reference
        const [[here, first], [there, second]] = [rank(from), rank(targetOf(reference))]
        const isNearer = here < there || (here === there && first < second)
        return { ...reference, direction: isNearer ? 'to' : 'from' }
      }),
    }
  }
}

/** Fields that refer to a collection that holds the identity: of what no direction says, these alone are counted. */
export function fieldsReferringTo(property: string, given: Json): string[] {
  const datasets = given['datasets'] as readonly NeutralDataset[]
  const holders = holdersOf(datasets, property)
  const found: string[] = []
  mapReferences(datasets, (from, reference, field) => {
    if (holders.includes(targetOf(reference)) && !holders.includes(from)) found.push(`${from}.${field}`)
    return reference
  })
  return [...new Set(found)].sort()
}

const place = (order: readonly string[], address: string) =>
  order.includes(address) ? order.indexOf(address) : Number(/\d+$/.exec(address)?.[0] ?? 0)

const targetOf = ({ dataset, field }: Reference) => `${dataset}:${field.split('.')[0]}`

function holdersOf(datasets: readonly NeutralDataset[], property: string): string[] {
  return datasets.flatMap(({ key, collections }) =>
    collections
      .filter(({ fields }) => (fields as readonly Json[]).some(({ identity }) => identity === property))
      .map(({ name }) => `${key}:${name}`),
  )
}

/** References between a collection and the nearest that holds the identity, whichever way they are described. */
function distances(datasets: readonly NeutralDataset[], property: string): ReadonlyMap<string, number> {
  const next = new Map<string, Set<string>>()
  const join = (one: string, other: string) => next.set(one, (next.get(one) ?? new Set()).add(other))
  mapReferences(datasets, (from, reference) => {
    join(from, targetOf(reference))
    join(targetOf(reference), from)
    return reference
  })
  const far = new Map(holdersOf(datasets, property).map((address) => [address, 0]))
  for (const [address, distance] of far) {
    for (const other of next.get(address) ?? []) if (!far.has(other)) far.set(other, distance + 1)
  }
  return far
}

function mapReferences(
  datasets: readonly NeutralDataset[],
  change: (from: string, reference: Reference, field: string) => Reference,
): readonly NeutralDataset[] {
  return datasets.map((dataset) => ({
    ...dataset,
    collections: dataset.collections.map((collection) => ({
      ...collection,
      fields: (collection['fields'] as readonly Json[]).map((field) => ({
        ...field,
        ...(Array.isArray(field['references']) && {
          references: field['references'].map((each: Reference) =>
            change(`${dataset.key}:${collection['name']}`, each, field['name'] as string),
          ),
        }),
      })),
    })),
  }))
}
