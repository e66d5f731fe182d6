import type { PrivacyRequest } from '@habeas/core'
import { keyText, type TableKey } from './database-rows.js'
import { namedOf, undecidedComplaints } from './named-rows.js'
import type { Oracle } from './oracle.js'
import type { SampleSchema } from './sample-schema.js'

export interface Accessed {
  readonly schema: SampleSchema
  readonly keys: readonly TableKey[]
  readonly oracle: Oracle
  readonly request: PrivacyRequest
  /** What was handed over, by `dataset:collection`. */
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

/** What is wrong with an access: rows of others that were delivered, and rows of the person's that are neither delivered nor named. */
export function accessComplaints({ schema, keys, oracle, request, rows }: Accessed): string[] {
  const complaints: string[] = []
  if (request.status !== 'complete')
    complaints.push(`ended ${request.status}: ${request.failure ?? request.actionRequired?.message}`)
  const delivered = new Map<string, Set<string>>()
  for (const [address, list] of Object.entries(rows)) {
    // Beside the collections a package says what was not searched.
    if (!address.startsWith(`${schema.name}:`)) continue
    const table = address.slice(schema.name.length + 1)
    const { columns = [] } = keys.find((key) => key.table === table) ?? {}
    const found = new Set(list.map((row) => keyText(columns, row)))
    delivered.set(table, found)
    if (found.size < list.length) complaints.push(`${table}: rows were delivered twice`)
    const hers = oracle.get(table)
    if (!hers) complaints.push(`${table}: ${list.length} rows were delivered, which are nobody's`)
    else
      for (const key of found)
        if (!hers.own.has(key) && !hers.shared.has(key))
          complaints.push(`${table} ${key}: delivered, and somebody else's`)
  }
  for (const [table, { own, shared, undecided }] of oracle) {
    const named = namedOf(request, table, 'access')
    const missing = [...own, ...shared].filter((key) => !delivered.get(table)?.has(key))
    for (const key of missing.filter((key) => !undecided.has(key)))
      complaints.push(`${table} ${key}: not delivered${named.unsearched ? `, not searched: ${named.unsearched}` : ''}`)
    complaints.push(...undecidedComplaints(table, named, undecided.size, schema.truth[table]?.undecided !== undefined))
  }
  for (const table of schema.nobodys)
    complaints.push(...undecidedComplaints(table, namedOf(request, table, 'access'), 0, false))
  return complaints
}
