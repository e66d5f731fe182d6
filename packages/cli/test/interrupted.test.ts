import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, expect, it } from 'vitest'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const storage = `
    encryptionKey: process.env.HABEAS_ENCRYPTION_KEY,
    storage: postgresStorage({ connectionString: process.env.SHOP_DATABASE_URL }),
    blobs: postgresBlobs({ connectionString: process.env.SHOP_DATABASE_URL }),`
const kept = shopFiles['habeas.config.ts']
  .replace('{ postgresConnector }', '{ postgresBlobs, postgresConnector, postgresStorage }')
  .replace('service: {', `service: {${storage}`)
const env = { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
const shop = postgresShop({ ...shopFiles, 'kept.config.ts': kept }, env)
const { folder, query } = shop
const erase = ['request', 'submit', '-p', 'default_erasure_policy', '-i', 'email=ann@example.com', '--yes']

const names = () => query('select name from customer order by id')

beforeEach(() => query('drop table if exists review, orders, customer', ...shopTables))

/** Interrupts a command while a statement of its erasure waits. */
async function interrupted(args: readonly string[], waiting: string, signal: NodeJS.Signals = 'SIGINT') {
  const waits = `select 1 from pg_stat_activity where datname = current_database() and ${waiting}`
  const temporary = join(folder.path, 'temporary')
  mkdirSync(temporary, { recursive: true })
  const run = await folder.run(args, {
    env: { TMPDIR: temporary },
    async meanwhile(child) {
      await expect.poll(async () => (await query(waits)).length, { timeout: 60_000 }).toBe(1)
      child.kill(signal)
    },
  })
  expect(readdirSync(temporary).filter((name) => name.startsWith('habeas'))).toEqual([])
  expect(run.stderr).not.toContain('Something failed')
  return run
}

/** Somebody else has locked the rows of customers. */
async function locked() {
  const other = new pg.Client({ connectionString: shop.url })
  await other.connect()
  await other.query('begin; select 1 from customer for update')
  return { [Symbol.asyncDispose]: () => other.end() }
}

it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
  'an erasure that has written nothing is canceled by %s',
  async (signal) => {
    {
      await using _ = await locked()
      const run = await interrupted(erase, `wait_event_type = 'Lock'`, signal)
      expect(run.stderr).toMatch(/^Stopping: what is being written is taken back/m)
      expect(run.stderr).toMatch(/^canceled: nothing was changed/m)
      expect(run).toMatchObject({ exitCode: 1, stdout: '' })
    }
    expect(await names()).toEqual([{ name: 'Ann Lee' }, { name: 'Bob Ray' }])
    expect(await query('select phone_number from orders where id = 1')).toEqual([{ phone_number: '555-0101' }])
  },
)

it('an erasure that has begun says what it has done, and the next one does the rest', async () => {
  // the first one is tried and taken back, before anything is erased
  const slow = `begin if nextval('written') > 1 then perform pg_sleep(8); end if; return new; end`
  await query(
    'create sequence written',
    `create function slowly() returns trigger language plpgsql as $$ ${slow} $$`,
    'create trigger slowly before update on customer for each row execute function slowly()',
  )
  const run = await interrupted(erase, `wait_event = 'PgSleep'`)
  await query('drop function slowly() cascade', 'drop sequence written')
  expect(run.stderr).toMatch(/^error: Stopped on request, erased in part/m)
  expect(run.stdout).toMatch(/^shop:orders\t1\tmasked/m)
  expect(run.exitCode).toBe(1)
  expect(await names()).toEqual([{ name: 'Ann Lee' }, { name: 'Bob Ray' }])
  expect(await folder.run(erase)).toMatchObject({ exitCode: 0 })
  expect(await names()).toEqual([{ name: null }, { name: 'Bob Ray' }])
})

it('a request that is kept goes on with the next command', async () => {
  const config = ['--config', 'kept.config.ts']
  expect(await folder.run(['push', ...config])).toMatchObject({ exitCode: 0 })
  let id = ''
  {
    await using _ = await locked()
    const run = await interrupted([...erase, ...config], `wait_event_type = 'Lock'`)
    id = /pri_\S+/.exec(run.stderr)?.[0] ?? ''
    expect(run.stderr).toContain(`'habeas request watch ${id}' follows it.`)
    expect(run.exitCode).toBe(1)
  }
  expect(await folder.run(['request', 'watch', id, ...config])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Rows: 3 masked.'),
  })
})
