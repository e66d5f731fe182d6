import { connectorContract, type Fixture, type FixtureKind, type FixtureTable, respelled } from '@habeas/testkit'
import { describe, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import type { SchemaField } from '../src/live-column.js'
import { openJobServer } from './double/job-server.js'
import { serviceRules } from './double/service-rules.js'
import { type MemoryTables, memoryEngine } from './double/sql/memory-engine.js'
import { scalarOf } from './double/sql/values.js'
import { spelling } from './load-fixture.js'

const types: Readonly<Record<FixtureKind, string>> = {
  integer: 'INTEGER',
  big_integer: 'INTEGER',
  decimal: 'BIGNUMERIC',
  float: 'FLOAT',
  boolean: 'BOOLEAN',
  string: 'STRING',
  uuid: 'STRING',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  bytes: 'BYTES',
  object: 'JSON',
}

function tableOf({ columns, rows }: FixtureTable) {
  const fields = columns.map(({ name, kind, nullable, length }): SchemaField => {
    const mode = nullable ? 'NULLABLE' : 'REQUIRED'
    return { name, type: types[kind], mode, ...(length !== undefined && { maxLength: String(length) }) }
  })
  const cells = rows.map((row) =>
    columns.map(({ name, kind }) => {
      const value = row[name] ?? null
      if (value === null) return [name, null] as const
      return [name, scalarOf(types[kind], kind === 'object' ? JSON.stringify(value) : String(value))] as const
    }),
  )
  return { fields, rows: cells.map((row) => Object.fromEntries(row)) }
}

async function openDouble(fixture: Fixture) {
  const named = fixture.map((table) => respelled(table, spelling))
  const tables: MemoryTables = new Map(named.map((table) => [`acme.shop.${table.name}`, tableOf(table)]))
  const server = await openJobServer(memoryEngine(tables), serviceRules)
  const connector = bigqueryConnector({ apiEndpoint: server.address })
  const secrets = (dataset: string) => ({ dataset, keyfile_creds: { project_id: 'acme' } })
  const connect = () => connector.connect(connector.parseSecrets(secrets('shop')))
  const connection = await connect()
  // the server ends with the connection that a case closes last
  const closing = (last: typeof connection) => ({
    ...last,
    async close() {
      await last.close()
      await server.close()
    },
  })
  return { connector, connection, connect, closing, unreachable: secrets('none_of_that_name') }
}

describe('the contract of connectors, on a double of the service', () => {
  const options = {
    ...{ foreignKeys: false, indexes: false, primaryKeys: false, uniqueKeys: false },
    kinds: { uuid: 'string' as const },
    unenforced: ['unique', 'foreign_key', 'check'] as const,
    spelling,
    filters: true,
  }
  const open = async (fixture: Fixture) => {
    const { connector, connection, unreachable, closing } = await openDouble(fixture)
    return { connector, connection: closing(connection), unreachable }
  }
  connectorContract(it, open, {
    ...options,
    erasing: async (fixture) => {
      const { connector, connection, unreachable, connect, closing } = await openDouble(fixture)
      return { connector, connection, unreachable, other: closing(await connect()) }
    },
  })
})
