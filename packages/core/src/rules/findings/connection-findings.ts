import { placeOf } from '../../model/address.js'
import type { WriteLimit } from '../../model/collection-result.js'
import type { Plan } from '../plan/plan.js'
import type { Finding } from './finding.js'

/** What a database can do, as far as its findings tell of it. */
export interface ConnectionTraits {
  readonly writeLimits: readonly WriteLimit[]
  /** Its catalogue is drawn from some of its documents. */
  readonly sampled: boolean
  /** Its connector searches columns only as a whole. */
  readonly wholeColumns: boolean
}

const consequences: Readonly<Record<WriteLimit, string>> = {
  transactions: 'has no transactions, so a batch that fails may have been written in part',
  row_locks: 'locks no rows, so a change that others make while a batch is written is noticed only afterwards',
  fencing: 'cannot end the writes of a process that was overtaken, so its last batch may still take effect',
}

/** What a plan cannot promise, because the databases behind it cannot. */
export function connectionFindings(
  { collections }: Pick<Plan, 'collections'>,
  traits: ReadonlyMap<string, ConnectionTraits>,
): Finding[] {
  const ofTables = collections.flatMap(({ address, connectionKey, erasure }): Finding[] => {
    const { writeLimits: known = [] } = (connectionKey !== undefined && traits.get(connectionKey)) || {}
    const own = (erasure?.writeLimits ?? []).filter((limit) => !known.includes(limit))
    if (own.length === 0) return []
    const { dataset, collection } = placeOf(address)
    const message = `The table of '${address}' ${own.map((limit) => consequences[limit]).join('; it ')}.`
    return [{ type: 'write_limits', severity: 'warning', loc: [dataset, collection], message }]
  })
  const ofDatabases = [...traits].flatMap(([key, { writeLimits, sampled }]): Finding[] => {
    const here = collections.filter(({ connectionKey }) => connectionKey === key)
    const loc = ['connection', key]
    const texts = writeLimits.map((limit) => consequences[limit])
    const limited = texts.length > 0 && here.some(({ erasure }) => erasure)
    const findings: Finding[] = []
    if (limited) {
      const message = `The database of connection '${key}' ${texts.join('; it ')}.`
      findings.push({ type: 'write_limits', severity: 'warning', loc, message })
    }
    if (sampled && here.length > 0) {
      const message = `The columns of connection '${key}' are known from a sample of its documents: others may hold columns that nothing names.`
      findings.push({ type: 'sampled_catalogue', severity: 'warning', loc, message })
    }
    return findings
  })
  return [...ofDatabases, ...ofTables]
}
