import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Connection, Erase, KeyGroup } from '@habeas/core'
import { compileRead, type Statement } from '@habeas/sql'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mysqlDialect } from '../src/dialect.js'
import { liveCatalogue } from '../src/live-catalogue.js'
import { connectorOf, type Kind, openDatabase, serverUrl, type TestDatabase } from './servers.js'

const group = (column: string, ...keys: readonly (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [keys],
})
const masking = (collection: string, ...ids: number[]): Erase => ({
  collection,
  key: ['id'],
  keys: [ids],
  anyOf: [group('id', ...ids)],
  set: [{ column: 'name', to: 'x' }],
})
const manyRows = 200_000

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** What a connection bears: time, size, locks, and servers that are not what they should be. */
export function limitsSuite(kind: Kind): void {
  describe(`limits, on ${kind}`, () => {
    let database: TestDatabase
    let connection: Connection
    beforeAll(async () => {
      database = await openDatabase(kind)
      connection = await database.connect()
      await database.run(
        'create table many (id int primary key, owner int, name varchar(300), key (owner))',
        'create table digit (d int)',
        'insert into digit values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)',
        `insert into many select n, 1, repeat('n', 300) from (select a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d + 100000 * g.d as n
          from digit a, digit b, digit c, digit e, digit f, digit g where g.d < 2) as numbers`,
        'create table shop (id int primary key, name varchar(20))',
        `insert into shop values (1, 'ann'), (2, 'bob')`,
      )
    })
    afterAll(() => database.close())
    const names = () => database.rows('select name from shop order by id')
    const running = async (text: string) => {
      const found = await database.rows(
        `select id from information_schema.processlist where info like '%${text}%' and info not like '%processlist%'`,
      )
      return found.length
    }

    it(`${manyRows} rows are read in bounded memory, and a reader that pauses longer than net_write_timeout loses none`, async () => {
      const [[seconds]] = (await database.rows('select @@net_write_timeout')) as [[number]]
      const held = () => {
        collect()
        return process.memoryUsage().heapUsed
      }
      const before = held()
      let [rows, most, batches] = [0, 0, 0]
      for await (const batch of connection.read({
        collection: 'many',
        columns: ['id', 'name'],
        anyOf: [group('owner', 1)],
      })) {
        // the server has much more to send than the sockets hold
        if (rows === 0) await delay((seconds + 5) * 1_000)
        rows += batch.length
        if (++batches % 50 === 0) most = Math.max(most, held() - before)
      }
      expect(rows).toBe(manyRows)
      // all rows together are more than 60 MB
      expect(most).toBeLessThan(10_000_000)
    })

    it('a read that is aborted or takes too long ends at the server as well, and the connection goes on', async () => {
      await database.run('create view slow as select id, sleep(30) as name from shop')
      const abort = new AbortController()
      const reading = (async () => {
        for await (const _ of connection.read(
          { collection: 'slow', columns: ['name'], anyOf: [group('id', 1, 2)] },
          { signal: abort.signal },
        ));
      })()
      await expect.poll(() => running('slow')).toBe(1)
      abort.abort()
      await expect(reading).rejects.toMatchObject({ details: { reason: 'cancelled' } })
      await expect.poll(() => running('slow')).toBe(0)
      await connection.ping()
      const hasty = await database.connect({ statementTimeoutSeconds: 1 })
      const late = async () => {
        const read = { collection: 'slow', columns: ['name'], anyOf: [group('id', 1, 2)] }
        for await (const _ of hasty.read(read));
      }
      await expect(late()).rejects.toMatchObject({ details: { reason: 'statement_timeout' } })
      await expect.poll(() => running('slow')).toBe(0)
    })

    it('a write that takes too long is killed from a second connection, and nothing of it stays', async () => {
      await database.run(
        'create table sleepy (id int primary key, name varchar(20))',
        `insert into sleepy values (1, 'ann'), (2, 'bob')`,
        'create trigger sleeping before update on sleepy for each row set new.name = if(old.id = 2, sleep(60), new.name)',
      )
      const hasty = await database.connect({ statementTimeoutSeconds: 1 })
      await expect(hasty.erase?.(masking('sleepy', 1, 2))).rejects.toMatchObject({
        details: { reason: 'statement_timeout' },
      })
      await expect.poll(() => running('sleepy')).toBe(0)
      expect(await database.rows('select name from sleepy order by id')).toEqual([['ann'], ['bob']])
      await hasty.ping()
    })

    it('a write waits for locks no longer than lockTimeoutSeconds', async () => {
      const hasty = await database.connect({ lockTimeoutSeconds: 1 })
      await database.run('start transaction', `update shop set name = 'bea' where id = 2`)
      await expect(hasty.erase?.(masking('shop', 1, 2))).rejects.toMatchObject({ details: { reason: 'lock_timeout' } })
      await database.run('rollback')
      expect(await names()).toEqual([['ann'], ['bob']])
    })

    it('writes of an overtaken worker take no effect once another one has ended them', async () => {
      const [old, next] = [await database.connect(), await database.connect()]
      let reached: () => void = () => {}
      const written = new Promise<void>((resolve) => {
        reached = resolve
      })
      const never = new Promise<void>(() => {})
      const confirm = () => {
        reached()
        return never
      }
      const fence = { lock: `${database.name}-fence`, confirm }
      const writing = old.erase?.(masking('shop', 1), { fence })
      void writing?.catch(() => {})
      await written
      await next.endWrites?.(fence.lock)
      expect(await names()).toEqual([['ann'], ['bob']])
      await next.erase?.(
        { ...masking('shop', 1), set: [{ column: 'name', to: 'ann' }] },
        { fence: { ...fence, confirm: async () => {} } },
      )
    })

    it('keys beyond one packet are asked for in parts, and a batch beyond it is refused before anything is sent', async () => {
      const [[most]] = (await database.rows('select @@max_allowed_packet')) as [[number]]
      const long = 'k'.repeat(Math.ceil(most / 40))
      const keys = Array.from({ length: 60 }, (_, at) => `${long}${at}`)
      let rows = 0
      for await (const batch of connection.read({
        collection: 'shop',
        columns: ['id'],
        anyOf: [group('name', ...keys, 'ann', 'bob')],
      }))
        rows += batch.length
      expect(rows).toBe(2)
      const texts = [...keys.slice(0, 30), 'ann', ...keys.slice(30), 'bob']
      const many = group('name', ...texts)
      const asked = { collection: 'shop', anyOf: [many] }
      expect(await connection.count([asked, { ...asked, noneOf: [group('id', 2)] }])).toEqual([2, 1])
      const each = await connection.countEach?.({ collection: 'shop', group: many })
      expect(each).toEqual(texts.map((key) => (key === 'ann' || key === 'bob' ? 1 : 0)))
      const batch = { ...masking('shop', 1), set: [{ column: 'name', to: 'x'.repeat(most) }] }
      await expect(connection.erase?.(batch)).rejects.toMatchObject({
        code: 'unsupported',
        details: { reason: 'batch_too_large' },
      })
      expect(await names()).toEqual([['ann'], ['bob']])
    })

    it.each([1, 2, 3])('as many keys of %i columns as a list takes are found by an index', async (width) => {
      const { maxKeys, maxKeyParts, maxErased } = connectorOf(kind).capabilities
      const size = Math.min(maxKeys, Math.floor((maxKeyParts as number) / width))
      expect([size, maxErased]).toEqual([kind === 'mysql' ? 5_000 : [10_000, 8_000, 5_333][width - 1], maxKeys])
      const names = ['a', 'b', 'c'].slice(0, width)
      const table = `keyed_${width}`
      await database.run(
        `create table ${table} (a int, b int, c int, name varchar(9), primary key (${names.join(', ')}))`,
        `insert into ${table} select id, id * 7, id * 3, 'n' from many`,
        `analyze table ${table}`,
      )
      const ids = Array.from({ length: size }, (_, at) => at * 11)
      const values = [ids, ids.map((id) => id * 7), ids.map((id) => id * 3)].slice(0, width)
      const fields = names.map((name) => ({ path: [name] }))
      const anyOf = [{ fields, values }]
      expect(await connection.count([{ collection: table, anyOf }])).toEqual([size])
      const set = [{ column: 'name', to: 'x' }]
      await connection.erase?.({ collection: table, key: names, keys: values, anyOf, set })
      expect(await database.rows(`select count(*) from ${table} where name = 'x'`)).toEqual([[size]])
      const plain = await mysql.createConnection({ uri: database.url, jsonStrings: true })
      const ask = async (sql: string, parameters: readonly unknown[]) =>
        (await plain.query({ sql, values: parameters as never, rowsAsArray: true }))[0] as never
      const live = (await liveCatalogue(kind, database.name).table(table, ask))!
      await plain.end()
      const explained = async ({ sql, parameters }: Statement) => {
        const [plan] = await database.client.execute({
          sql: `explain ${kind === 'mysql' ? 'format=traditional ' : ''}${sql}`,
          values: [...parameters] as never,
        })
        return (plan as unknown as unknown[][]).find((step) => step[2] === table)
      }
      // as a batch is read again
      const asked = { collection: table, columns: ['name'], anyOf: [{ ...anyOf[0]!, exact: true as const }] }
      const how = expect.stringMatching(kind === 'mysql' ? 'range' : 'eq_ref')
      // MariaDB makes a table of a long list first, and looks each row up
      expect(await explained(compileRead(asked, live, mysqlDialect(kind))!)).toEqual(
        expect.arrayContaining(['PRIMARY', how]),
      )
    })

    it('a server of the other kind is refused by the connection test', async () => {
      const other = kind === 'mysql' ? 'mariadb' : 'mysql'
      const connector = connectorOf(other)
      const wrong = await connector.connect(connector.parseSecrets({ url: database.url }))
      await expect(wrong.ping()).rejects.toThrow(`make a connection of the type ${kind}`)
      await wrong.close()
    })

    it('what is wrong with the secrets is said without them', async () => {
      const missing = await database.connect({}, { url: `${serverUrl(kind)}/no_such_database` })
      await expect(missing.ping()).rejects.toMatchObject({ details: { reason: 'database_missing' } })
      const none = await database.connect({}, { url: serverUrl(kind) })
      await expect(none.ping()).rejects.toMatchObject({ details: { reason: 'missing_secret' } })
      const user = `${database.name}_u`
      await database.run(
        `create user ${user} identified by 'right-password'`,
        `grant select on ${database.name}.shop to ${user}`,
      )
      try {
        const { hostname: host, port } = new URL(serverUrl(kind))
        const parts = { host, port: Number(port), user, database: database.name }
        const connector = connectorOf(kind)
        const as = async (secrets: object) => connector.connect(connector.parseSecrets({ ...parts, ...secrets }))
        const wrong = await as({ password: 'wrong-password' })
        await expect(wrong.ping()).rejects.toMatchObject({ details: { reason: 'authentication' } })
        await expect(wrong.ping()).rejects.not.toThrow(/wrong-password/)
        // MySQL logs in by caching_sha2_password, whose first login without encryption needs the key of the server
        const right = await as({ password: 'right-password' })
        await right.ping()
        expect((await right.describe()).collections.map(({ name }) => name)).toEqual(['shop'])
        await expect(right.erase?.(masking('shop', 1))).rejects.toMatchObject({ details: { reason: 'permission' } })
        await Promise.all([wrong.close(), right.close()])
      } finally {
        await database.run(`drop user ${user}`)
      }
    })

    it('TLS is agreed on or refused, and never left out in silence', async () => {
      const strict = await database.connect({}, { ssl: true })
      await expect(strict.ping()).rejects.toMatchObject({ details: { reason: 'tls' } })
      const loose = await database.connect({}, { ssl: { reject_unauthorized: false } })
      if (kind === 'mariadb') {
        // this server has no certificate
        await expect(loose.ping()).rejects.toMatchObject({ details: { reason: 'tls' } })
        return
      }
      await loose.ping()
      const user = `${database.name}_t`
      await database.run(
        `create user ${user} identified by 'p' require ssl`,
        `grant select on ${database.name}.* to ${user}`,
      )
      const as = { user, password: 'p' }
      const encrypted = await database.connect({}, { ...as, ssl: { reject_unauthorized: false } })
      await encrypted.ping()
      const plain = await database.connect({}, as)
      await expect(plain.ping()).rejects.toMatchObject({ details: { reason: 'authentication' } })
      await database.run(`drop user ${user}`)
      const named = await database.connect({}, { ssl: { reject_unauthorized: false, server_name: 'db.example.com' } })
      await named.ping()
    })

    it('a server that accepts a connection and says nothing is given up', async () => {
      const { createServer } = await import('node:net')
      const server = createServer(() => {}).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as { port: number }
      const silent = await database.connect({ connectTimeoutSeconds: 0.2 }, { url: `mysql://u@127.0.0.1:${port}/d` })
      await expect(silent.ping()).rejects.toMatchObject({
        message: expect.stringContaining('check that what listens at host and port is MySQL or MariaDB.'),
        details: { reason: 'timeout' },
      })
      server.close()
    })

    it('the rows that a transaction of another reads meanwhile are those that are committed', async () => {
      const client = await mysql.createConnection({ uri: database.url })
      try {
        await database.run('start transaction', `insert into shop values (3, 'cay')`)
        expect(await connection.count([{ collection: 'shop', anyOf: [group('id', 3)] }])).toEqual([0])
        await database.run('commit')
        expect(await connection.count([{ collection: 'shop', anyOf: [group('id', 3)] }])).toEqual([1])
      } finally {
        await client.end()
      }
    })
  })
}
