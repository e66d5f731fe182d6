import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { URL } from 'node:url'
import * as core from '@habeas/core'
import { type PostgresServer, startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresConnector } from '../src/index.js'

let server: PostgresServer
let folder: string

beforeAll(async () => {
  server = await startPostgres()
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

/** The TypeScript of a README without its imports, which the test hands in. */
async function examples(file: string): Promise<string[]> {
  const text = await readFile(new URL(file, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string)
  return blocks.map((block) => block.replace(/^import .*\n/gm, ''))
}

const run = (code: string, given: Record<string, unknown>): Promise<void> =>
  new Function(...Object.keys(given), `return (async () => {${code}})()`)(...Object.values(given))

it("the root README's first screen runs as it stands", async () => {
  const [first = '', annotate = ''] = await examples('../../../README.md')
  await run(`${annotate}\n${first}`, {
    ...core,
    postgresConnector,
    writeFile: (name: string, bytes: AsyncIterable<Uint8Array>) => writeFile(join(folder, name), bytes),
    process: { env: { HABEAS_KEY: randomBytes(32).toString('base64'), DATABASE_URL: server.url } },
  })
  expect(JSON.parse(await readFile(join(folder, 'ann.json'), 'utf8'))).toEqual({
    'shop:customer': [{ email: 'ann@example.com', street: 'Main Street 1' }],
    'shop:orders': [{ phone_number: '555-1' }],
  })
})

it("core's README runs as it stands", async () => {
  const [example = ''] = await examples('../../core/README.md')
  const lines: unknown[] = []
  const done: unknown[] = []
  await run(`${example}\ndone.push(status, failure); await privacy.close()`, {
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
