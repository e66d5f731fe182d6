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
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { postgresBlobs, postgresConnector, postgresStorage } from '../src/index.js'

/** The examples share one storage, which keeps to its first key. */
const encryptionKey = randomBytes(32).toString('base64')

let server: testkit.PostgresServer
let folder: string

beforeAll(async () => {
  server = await testkit.startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'habeas-readme-'))
})

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const blocks = (text: string, language: string) =>
  [...text.matchAll(/^```([a-z]*)\n([\s\S]*?)^```$/gm)].flatMap(([, each, code = '']) =>
    each === language ? [code] : [],
  )

async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text)
  await client.end()
}

const examples = (file: string) => readmeExamples(new URL(file, import.meta.url))

describe('the root README', async () => {
  const page = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
  const [tables = ''] = blocks(page, 'sql')
  const [printed = ''] = blocks(page, '')
  const [first = '', erasing = '', keeping = ''] = await examples('../../../README.md')
  const close = 'await privacy.close()'
  const answered = first.replace("'review.body:category']", "'review.body:category', 'review.customer_id:from']")
  const shop = () => server.url.replace(/[^/]*$/, 'readme')
  let said: unknown[] = []

  /** Runs an example in a folder and with an environment of its own. */
  async function run(code: string): Promise<void> {
    said = []
    await runExample(code, {
      ...core,
      ...{ postgresBlobs, postgresConnector, postgresStorage },
      writeFile: (name: string, content: string | AsyncIterable<Uint8Array>) => writeFile(join(folder, name), content),
      process: {
        env: {
          HABEAS_ENCRYPTION_KEY: encryptionKey,
          SHOP_DATABASE_URL: shop(),
          DATABASE_URL: server.url,
        },
      },
      console: { log: (...line: unknown[]) => said.push(...line) },
    })
  }

  const written = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'))

  beforeAll(async () => {
    await query(server.url, 'create database readme')
    await query(shop(), tables)
  })

  it('has a first file that prints what the page says', async () => {
    await run(first)
    const lines = printed.trim().split('\n')
    expect(said.slice(-lines.length)).toEqual(lines)
    expect(said).toContainEqual(expect.stringMatching(/^open shop:review.customer_id: /))
    expect(said).toContainEqual(expect.stringMatching(/^ {2}direction "from" at review.customer_id: /))
    const { incomplete, ...found } = await written('ann.json')
    expect(incomplete).toEqual(expect.any(String))
    expect(found).toMatchObject({
      'shop:customer': [{ email: 'ann@example.com', name: 'Ann Lee', street: 'Main Street 1' }],
      'shop:orders': [{ phone_number: '555-0101' }],
    })
    expect(found).not.toHaveProperty('shop:review')
  })

  it.each([
    ['is undecided', first, `${erasing}\n${close}`, /^Nothing was erased. 1 row of shop:review /],
    [
      'cannot be written',
      answered,
      `${erasing.replace(/^.*access: 'write'.*$/m, '')}\n${close}`,
      /may only be read: give it access 'write'/,
    ],
  ])('ends with what to do, and closes, where something %s', async (_, start, end, message) => {
    await run(start.replace(close, `${end}\nconsole.log('closed', process.exitCode)`))
    expect(said.slice(-3)).toEqual([expect.stringMatching(message), 'closed', 1])
  })

  it('then answers what is open, erases, and is checked', async () => {
    expect(answered).not.toBe(first)
    await run(answered)
    expect(await written('ann.json')).toMatchObject({ 'shop:review': [{ body: 'Arrived early.' }] })

    await run(answered.replace(close, `${erasing}\n${close}`))
    const [plan, status, receipt, key, isErased] = said.slice(-5)
    expect(plan).toContain('street')
    expect([status, isErased]).toEqual(['complete', true])
    for (const place of ['customer', 'orders', 'review'])
      expect(receipt).toMatch(new RegExp(`^shop:${place} +1 +masked$`, 'm'))
    const { ok, problems } = core.verifyEvidence(await written('evidence.json'), { key: String(key) })
    expect({ ok, problems }).toEqual({ ok: true, problems: [] })
  })

  it('says at once where a database shows nothing', async () => {
    const empty = first.replace('process.env.SHOP_DATABASE_URL', 'process.env.DATABASE_URL')
    await expect(run(empty)).rejects.toThrow()
    expect(said).toEqual([expect.stringMatching(/^drafted: .* shows no table or collection/)])
  })

  it('says why nothing was found where the database cannot be reached', async () => {
    const away = first.replace('process.env.SHOP_DATABASE_URL', "'postgres://localhost:1/shop'")
    await expect(run(away)).rejects.toThrow(/Nothing listens/)
  })

  it('keeps requests in PostgreSQL', async () => {
    await run(`${keeping}\nawait privacy.policies.list()\n${close}`)
  })
})

it("core's README runs as it stands", async () => {
  const [example = ''] = await examples('../../core/README.md')
  const lines: unknown[] = []
  const done: unknown[] = []
  await runExample(`${example}\ndone.push(status, failure); await privacy.close()`, {
    ...core,
    fileBlobs: () => core.fileBlobs({ directory: join(folder, 'spool') }),
    encryptionKey,
    connectors: [postgresConnector()],
    email: 'ann@example.com',
    console: { log: (...line: unknown[]) => lines.push(...line) },
    done,
  })
  expect(done).toEqual(['complete', undefined])
  expect(lines).toContain('complete')
})

it("the adapter's README runs as it stands, except for the address", async () => {
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
    ...{ encryptionKey, email: 'ann@example.com' },
  })
  expect(statuses).toEqual(['complete'])
  const { rows } = await pool.query('select key from habeas.blob_content')
  expect(rows).toEqual([{ key: expect.stringMatching(/^requests\/pri_.*\/package\//) }])
  await pool.end()
})

it("sql's README compiles a read", async () => {
  const [, example = ''] = await examples('../../sql/README.md')
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

it("sql's README makes a connector", async () => {
  const [example = ''] = await examples('../../sql/README.md')
  const opened: unknown[] = []
  const known = { driver: { open: () => Promise.reject(new Error('no server')) }, schema: 'shop' }
  await runExample(`${example}\nopened.push(await (await connector.connect({ host: 'localhost' })).concurrency)`, {
    ...{ ...core, ...sql, opened, dialect: {}, errors: {} },
    ...{ driverOf: () => known, catalogueOf: () => ({}) },
  })
  expect(opened).toEqual([4])
})
