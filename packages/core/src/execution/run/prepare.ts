import type { memoize } from '../../async/memoize.js'
import { PrivacyError } from '../../errors.js'
import type { Catalogue } from '../../model/catalogue.js'
import { writeLimits } from '../../model/collection-result.js'
import type { Dataset } from '../../model/dataset.js'
import type { Identity } from '../../model/identity.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import type { ConnectorCapabilities } from '../../ports/connector-capabilities.js'
import { type ConnectionTraits, connectionFindings } from '../../rules/findings/connection-findings.js'
import { accessPlan, type PlanOptions } from '../../rules/plan/access-plan.js'
import type { Plan } from '../../rules/plan/plan.js'
import { accessTargets, erasureTargets, type TaxonomyLinks } from '../../rules/policy/targets.js'
import type { OpenConnections } from '../connect/open-connections.js'

/** What planning reads from the data model. */
export interface PlanningSource {
  readonly datasets: readonly { readonly dataset: Dataset; readonly connectionKey: string | null }[]
  /** `manual` says that there is no database behind the connection, and people look up its rows. */
  readonly connections: readonly {
    readonly key: string
    readonly disabled: boolean
    readonly manual: boolean
    readonly access: 'read' | 'write'
  }[]
  readonly systems: readonly System[]
  readonly links: TaxonomyLinks
}

export interface Prepared {
  readonly plan: Plan
  /** The catalogue of each connection, by its key. */
  readonly catalogues: ReadonlyMap<string, Catalogue>
  /** Keys of connections whose rows people look up. */
  readonly manual: ReadonlySet<string>
  /** Connections whose catalogue could not be read. Nothing is read from them. */
  readonly unavailable: ReadonlyMap<string, PrivacyError>
}

/** Asks all connections for their catalogues at once, then plans what to read. */
export async function prepare(
  policy: Policy,
  identities: readonly Identity[],
  options: {
    readonly source: () => Promise<PlanningSource>
    readonly connections: OpenConnections
    readonly planOptions: PlanOptions
    readonly remember: ReturnType<typeof memoize<Plan>>
    /** Asks for the live catalogues again, however young the remembered ones are. */
    readonly fresh?: boolean
  },
): Promise<Prepared> {
  const { datasets: rows, connections: known, systems, links } = await options.source()
  const connections = new Map(known.map((connection) => [connection.key, connection]))
  const unavailable = new Map<string, PrivacyError>()
  const catalogues = new Map<string, Catalogue>()
  const traits = new Map<string, ConnectionTraits>()
  const used = new Set(rows.flatMap(({ connectionKey }) => connectionKey ?? []))
  await Promise.all(
    [...used].map(async (key) => {
      const connection = connections.get(key)
      if (!connection || connection.disabled || connection.manual) return
      try {
        const open = await options.connections.get(key)
        catalogues.set(key, await open.catalogue(options.fresh ? { fresh: true } : {}))
        traits.set(key, traitsOf(open.connector.capabilities))
      } catch (error) {
        unavailable.set(key, PrivacyError.from(error))
      }
    }),
  )
  const datasets = rows.map(({ dataset, connectionKey }) => {
    const connection = connectionKey === null ? undefined : connections.get(connectionKey)
    const catalogue = connectionKey === null ? undefined : catalogues.get(connectionKey)
    const { writeLimits, wholeColumns } = (connectionKey !== null && traits.get(connectionKey)) || {}
    return {
      dataset,
      ...(connection && {
        connection: { ...connection, ...(writeLimits && { writeLimits }), ...(wholeColumns && { wholeColumns }) },
      }),
      ...(catalogue && { catalogue }),
    }
  })
  const properties = identities.map((identity) => Object.keys(identity))
  const taxonomy = Object.values(links).map((parents) => [...parents])
  const small = [policy, known, properties, options.planOptions, taxonomy]
  const large = datasets.flatMap(({ dataset, connection, catalogue }) => [dataset, connection?.key, catalogue])
  const plan = options.remember([JSON.stringify(small), ...large, ...systems], () => {
    const { targets, findings } = accessTargets(policy, systems, links)
    const erasing = erasureTargets(policy, systems, links)
    const made = accessPlan({
      datasets,
      identities: properties,
      targets,
      options: options.planOptions,
      ...(erasing && { erasureTargets: erasing.targets }),
    })
    return { ...made, findings: [...made.findings, ...findings, ...(erasing?.findings ?? [])] }
  })
  const findings = connectionFindings(plan, traits)
  for (const [key, error] of unavailable) {
    const message = `Connection '${key}' could not be asked for its catalogue: ${error.message}`
    findings.push({ type: 'connection_unavailable', severity: 'warning', loc: ['connection', key], message })
  }
  if (connections.size === 0 || used.size === 0) {
    findings.push({
      type: 'no_dataset_connected',
      // An erasure that searches nothing must not look like one that found nothing. It waits for what it misses by name.
      severity:
        plan.erasure && used.size === 0 && plan.unsearched.every(({ targeted }) => !targeted) ? 'error' : 'warning',
      loc: ['dataset'],
      message:
        'No dataset is connected to a database, so there is nothing to search: attach a dataset to a connection.',
    })
  }
  const told = findings.length === 0 ? plan : { ...plan, findings: [...plan.findings, ...findings] }
  const manual = new Set(known.flatMap((connection) => (connection.manual ? [connection.key] : [])))
  return { plan: told, catalogues, manual, unavailable }
}

function traitsOf({ transactions, rowLocks, fencing, sampled, nestedFields }: ConnectorCapabilities): ConnectionTraits {
  const lacking = { transactions: transactions === false, row_locks: rowLocks === false, fencing: !fencing }
  return {
    writeLimits: writeLimits.filter((limit) => lacking[limit]),
    sampled: sampled === true,
    wholeColumns: !nestedFields,
  }
}
