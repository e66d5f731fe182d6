import type { Connection } from '@habeas/core'
import { type BigqueryConnectorOptions, bigqueryConnector } from '../src/index.js'
import type { SchemaField } from '../src/live-column.js'
import type { NamedParameter } from '../src/query-parameters.js'
import type { RawRow } from '../src/row-values.js'
import type { Engine, Result } from './double/engine.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { RestError } from './double/rest.js'
import { serviceRules } from './double/service-rules.js'

export const people: readonly SchemaField[] = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  { name: 'email', type: 'STRING', mode: 'NULLABLE' },
  { name: 'data', type: 'JSON', mode: 'NULLABLE' },
  {
    name: 'home',
    type: 'RECORD',
    mode: 'NULLABLE',
    fields: [
      { name: 'city', type: 'STRING', mode: 'NULLABLE' },
      { name: 'phones', type: 'STRING', mode: 'REPEATED' },
    ],
  },
]

/** A service without data: a test says what statements give, and what it answers about its tables. */
export interface FakeService {
  readonly server: JobServer
  /** Statements that ran, in order. */
  readonly statements: string[]
  /** What a statement gives. By default one row with a 0. */
  run: (query: string, parameters: readonly NamedParameter[]) => Promise<Result> | Result
  readonly resources: Record<string, unknown>
  /** What a job that is only planned would read. */
  bytes: number
  connect(options?: BigqueryConnectorOptions): Promise<Connection>
  close(): Promise<void>
}

export function resultOf(rows: readonly (readonly (string | null)[])[], types: readonly string[] = []): Result {
  const raw = rows.map((row): RawRow => ({ f: row.map((v) => ({ v })) }))
  const fields = (rows[0] ?? types).map((_, at) => ({ name: `f${at}_`, type: types[at] ?? 'INTEGER' }))
  return { fields, total: rows.length, affected: 0, rows: async (from, most) => raw.slice(from, from + most) }
}

const dataset = '/projects/acme/datasets/shop'

/** Closes what it opened. */
export async function openFakeService(): Promise<FakeService> {
  const statements: string[] = []
  const engine: Engine = {
    async run(query, parameters) {
      statements.push(query)
      return service.run(query, parameters)
    },
    bytes: () => service.bytes,
    async answer(_, path) {
      const [plain = ''] = path.split('?')
      const found = service.resources[plain]
      if (found instanceof Error) throw found
      if (found === undefined) throw new RestError(404, 'notFound', `Not found: ${plain}`)
      return found
    },
    begin: async () => {
      const note = async (what: string) => void statements.push(what)
      return { writes: async () => {}, commit: () => note('committed'), rollBack: () => note('rolled back') }
    },
  }
  const server = await openJobServer(engine, serviceRules)
  const connections: Connection[] = []
  const service: FakeService = {
    server,
    statements,
    bytes: 0,
    run: () => resultOf([['0']]),
    resources: {
      [dataset]: { location: 'EU' },
      [`${dataset}/tables`]: { tables: [tableResource('people')] },
      [`${dataset}/tables/people`]: tableResource('people', { schema: { fields: people } }),
      [`${dataset}/tables/people/rowAccessPolicies`]: {},
    },
    async connect(options = {}) {
      const connector = bigqueryConnector({ ...options, apiEndpoint: server.address })
      const secrets = connector.parseSecrets({ dataset: 'shop', keyfile_creds: { project_id: 'acme' } })
      const connection = await connector.connect(secrets)
      connections.push(connection)
      return connection
    },
    async close() {
      for (const connection of connections) await connection.close()
      await server.close()
    },
  }
  return service
}

export function tableResource(tableId: string, more: object = {}) {
  return { tableReference: { projectId: 'acme', datasetId: 'shop', tableId }, type: 'TABLE', ...more }
}
