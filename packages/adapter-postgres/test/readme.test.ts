import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { URL } from 'node:url'
import * as core from '@habeas/core'
import * as sql from '@habeas/sql'
import * as testkit from '@habeas/testkit'
import { MysqlQueryCompiler } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { postgresBlobs, postgresConnector, postgresStorage } from '../src/index.js'

let server: testkit.PostgresServer
let folder: string

beforeAll(async () => {
  server = await testkit.startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'habeas-readme-'))
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`
    create table customer (id int primary key, email text, street text);
    create table orders (id int primary key, customer_id int references customer, phone_number text);
    insert into customer values (1, 'ann@example.com', 'Main Street 1'), (2, 'bob@example.com', 'Side Street 2');
    insert into orders values (1, 1, '555-1'), (2, 2, '555-2');
  `)
  await client.end()
})

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const examples = (file: string) => readmeExamples(new URL(file, import.meta.url))

it("the root README's first screen runs as it stands, and then erases and is checked", async () => {
  const [first = '', listing = '', erasing = '', keeping = ''] = await examples('../../../README.md')
  const told: unknown[] = []
  const close = 'await privacy.close()'
  await runExample(`${first.replace(close, `${listing}\n${erasing}`)}\n${close}\n{ ${keeping}\n${close} }`, {
    ...core,
    ...{ postgresBlobs, postgresConnector, postgresStorage },
    writeFile: (name: string, content: string | AsyncIterable<Uint8Array>) => writeFile(join(folder, name), content),
    process: { env: { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64'), DATABASE_URL: server.url } },
    console: { log: (...line: unknown[]) => told.push(line.length > 1 ? line.join(' ') : line[0]) },
  })
  expect(JSON.parse(await readFile(join(folder, 'ann.json'), 'utf8'))).toEqual({
    'shop:customer': [{ email: 'ann@example.com', street: 'Main Street 1' }],
    'shop:orders': [{ phone_number: '555-1' }],
  })
  const [plan, receipt, key, isErased] = told.splice(-4)
  expect(await readFile(new URL('../../../README.md', import.meta.url), 'utf8')).toContain(
    `// ${told.find((line) => String(line).startsWith('orders.customer_id:from'))}\n`,
  )
  expect(plan).toContain('street')
  expect(receipt).toMatchObject({ status: 'complete', totals: { masked: 2 } })
  expect(isErased).toBe(true)
  const evidence = JSON.parse(await readFile(join(folder, 'evidence.json'), 'utf8'))
  expect(core.verifyEvidence(evidence, { key: String(key) })).toMatchObject({ ok: true, problems: [] })
})

it("core's README runs as it stands", async () => {
  const [example = ''] = await examples('../../core/README.md')
  const lines: unknown[] = []
  const done: unknown[] = []
  await runExample(`${example}\ndone.push(status, failure); await privacy.close()`, {
    ...core,
    fileBlobs: () => core.fileBlobs({ directory: join(folder, 'spool') }),
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [postgresConnector()],
    email: 'ann@example.com',
    console: { log: (...line: unknown[]) => lines.push(...line) },
    done,
  })
  expect(done).toEqual(['complete', undefined])
  expect(lines).toContain('complete')
})

it("the adapter's README runs as it stands, but for the address", async () => {
  const [example = ''] = await examples('../README.md')
  const { key, certificate } = testkit.selfSignedCertificate('localhost')
  const secured = await testkit.startPostgres({ password: 'secret', tls: { key, certificate } })
  try {
    const tables: unknown[] = []
    const url = `postgresql://postgres@localhost:${secured.port}/postgres`
    await runExample(
      `${example.replace(/'postgresql:[^']*'/, 'url')}\ntables.push(...collections); await connection.close()`,
      {
        postgresConnector,
        url,
        password: 'secret',
        ca: certificate,
        tables,
      },
    )
    expect(tables).toEqual([])
  } finally {
    await secured.stop()
  }
})

it("the adapter's README keeps a request in PostgreSQL as it stands", async () => {
  const [, example = ''] = await examples('../README.md')
  const pool = new pg.Pool({ connectionString: server.url }).on('error', () => {})
  const statuses: string[] = []
  await runExample(`${example}\nstatuses.push(status)`, {
    ...{ ...core, postgresBlobs, postgresConnector, postgresStorage, pool, statuses },
    ...{ encryptionKey: randomBytes(32).toString('base64'), email: 'ann@example.com' },
  })
  expect(statuses).toEqual(['complete'])
  const { rows } = await pool.query('select key from habeas.blob_content')
  expect(rows).toEqual([{ key: expect.stringMatching(/^requests\/pri_.*\/package\//) }])
  await pool.end()
})

it("sql's README compiles a read", async () => {
  const [example = ''] = await examples('../../sql/README.md')
  const statements: unknown[] = []
  const column = { name: 'id', kind: 'integer' }
  await runExample(`${example}\nstatements.push(statement)`, {
    ...sql,
    MysqlQueryCompiler,
    table: { path: ['customer'], columns: new Map([['id', column]]) },
    read: { collection: 'customer', columns: ['id'], anyOf: [{ fields: [{ path: ['id'] }], values: [[1]] }] },
    statements,
  })
  expect(statements).toEqual([{ sql: 'select `id` from `customer` where `id` in (?)', parameters: [1] }])
})

it("testkit's README declares the contracts", async () => {
  const [first = '', second = ''] = await examples('../../testkit/README.md')
  const cases = new Map<string, () => unknown>()
  const given = {
    ...testkit,
    describe: (_: string, declare: () => void) => declare(),
    it: (name: string, body: () => unknown) => cases.set(name, body),
    redisStorage: () => core.memoryStorage(),
    oracleConnector: () => testkit.memoryConnector({ database: testkit.memoryDatabase(testkit.shop) }),
    load: async () => {},
  }
  await runExample(first, given)
  for (const body of cases.values()) await body()
  const stored = cases.size
  await runExample(second, given)
  expect(stored).toBeGreaterThan(20)
  expect(cases.size).toBeGreaterThan(stored + 20)
})
