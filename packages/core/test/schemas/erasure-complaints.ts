import type { Dataset, PrivacyRequest } from '@habeas/core'
import { type Change, changesBetween, type Rows } from './database-rows.js'
import { namedOf, undecidedComplaints } from './named-rows.js'
import type { Oracle } from './oracle.js'
import type { Person, SampleSchema } from './sample-schema.js'

export interface Erased {
  readonly schema: SampleSchema
  readonly person: Person
  readonly dataset: Dataset
  readonly oracle: Oracle
  readonly request: PrivacyRequest
  readonly before: ReadonlyMap<string, Rows>
  readonly after: ReadonlyMap<string, Rows>
  readonly deleting: boolean
}

/** What is wrong with an erasure: rows of others that it touched, and rows of the person's that it neither touched nor named. */
export function erasureComplaints(erased: Erased): string[] {
  const { person, oracle, request, before, after, deleting } = erased
  const changes = changesBetween(before, after)
  const complaints = changes
    .filter(({ table, key }) => !oracle.get(table)?.own.has(key))
    .map(
      ({ table, key, kind, columns = [] }) =>
        `${table} ${key}: ${kind} ${columns.join(', ')}, and not this person's alone`,
    )
  if (deleting && person.carries !== undefined) {
    if (request.status !== 'error') complaints.push(`ended ${request.status}, and would take along ${person.carries}`)
    if (changes.length > 0) complaints.push(`wrote ${changes.length} rows and has to be refused: ${person.carries}`)
    return complaints
  }
  if (request.status !== 'complete')
    complaints.push(`ended ${request.status}: ${request.failure ?? request.actionRequired?.message}`)
  return [...complaints, ...leftovers(erased, changes)]
}

function leftovers(
  { schema, dataset, oracle, request, before, deleting }: Erased,
  changes: readonly Change[],
): string[] {
  const complaints: string[] = []
  for (const [table, { own, undecided }] of oracle) {
    const deleted = deleting && schema.deletes.includes(table)
    const fields = personalFields(dataset, table)
    const left: string[] = []
    for (const key of own) {
      const change = changes.find((each) => each.table === table && each.key === key)
      if (change?.kind === 'deleted') continue
      const row = before.get(table)?.get(key) ?? {}
      const held = fields.filter((field) => row[field] !== null)
      const still = held.filter((field) => !change?.columns?.includes(field))
      // Of a table with personal fields a row that holds none of them may stay.
      const goes = deleted && (fields.length === 0 || held.length > 0)
      if (goes || still.length > 0) left.push(`${table} ${key}: still there${goes ? '' : ` in ${still.join(', ')}`}`)
    }
    const named = namedOf(request, table, 'erasure')
    complaints.push(...undecidedComplaints(table, named, undecided.size, schema.truth[table]?.undecided !== undefined))
    if (left.length > named.kept) complaints.push(...left)
  }
  return complaints
}

/** What an erasure has to change: fields with a category that are neither keys nor references. */
function personalFields({ collections }: Dataset, table: string): readonly string[] {
  const { fields = [] } = collections.find(({ name }) => name === table) ?? {}
  return fields
    .filter(({ data_categories = [], service_meta: { primary_key, references = [] } = {} }) => {
      return data_categories.length > 0 && !primary_key && references.length === 0
    })
    .map(({ name }) => name)
}
