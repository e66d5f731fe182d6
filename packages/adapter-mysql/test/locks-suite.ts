import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Connection, Erase } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cuttingProxy } from './cutting-proxy.js'
import { connectorOf, type Kind, openDatabase, type TestDatabase } from './servers.js'

const masking = (collection: string, ...ids: number[]): Erase => ({
  collection,
  key: ['id'],
  keys: [ids],
  anyOf: [{ fields: [{ path: ['id'] }], values: [ids] }],
  set: [{ column: 'name', to: 'x' }],
})

/** Writes that meet the locks of others, and workers that are overtaken in the middle of a write. */
export function locksSuite(kind: Kind): void {
  describe(`locks, on ${kind}`, () => {
    let database: TestDatabase
    let other: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
      other = await openDatabase(kind)
      await other.run(`use ${database.name}`)
    })
    afterAll(async () => {
      await other?.close()
      await database?.close()
    })
    const inState = async (state: string) => {
      const found = await database.rows(
        `select id from information_schema.processlist where db = '${database.name}' and state like '${state}'`,
      )
      return found.length
    }
    /** Resolves when a transaction over the database waits for the lock of a row. */
    const waiting = () =>
      expect
        .poll(
          () =>
            database.rows(`select trx_id from information_schema.innodb_trx join information_schema.processlist
            on id = trx_mysql_thread_id where trx_state = 'LOCK WAIT' and db = '${database.name}'`),
          // The server shows what it showed before to those who ask again within 100 ms.
          { interval: 300 },
        )
        .toHaveLength(1)

    it('a connection closes although the server does not answer the KILL of its session', async () => {
      await database.run('create table barred (id int primary key)')
      const { hostname, port } = new URL(database.url)
      const sockets: Socket[] = []
      let kills = 0
      const proxy = createServer((client) => {
        const upstream = connect(Number(port), hostname)
        sockets.push(client, upstream)
        for (const socket of [client, upstream]) socket.on('error', () => {})
        upstream.pipe(client)
        client.on('data', (bytes) => {
          if (bytes.includes('kill ')) kills++
          else upstream.write(bytes)
        })
      }).listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      const to = new URL(database.url)
      to.port = String((proxy.address() as AddressInfo).port)
      const connector = connectorOf(kind)
      const connection = await connector.connect(connector.parseSecrets({ url: to.href }))
      try {
        await connection.describe()
        await other.run('lock tables barred write')
        const counted = connection.count([{ collection: 'barred', anyOf: masking('barred', 1).anyOf }])
        const failed = expect(counted).rejects.toMatchObject({ details: { reason: 'cancelled' } })
        await expect.poll(() => inState('Waiting for table metadata lock'), { interval: 300 }).toBe(1)
        const closed = connection.close().then(() => 'closed')
        const late = new Promise((resolve) => setTimeout(resolve, 8_000, 'late'))
        expect(await Promise.race([closed, late])).toBe('closed')
        expect(kills).toBe(1)
        await failed
      } finally {
        await other.run('unlock tables')
        for (const socket of sockets) socket.destroy()
        proxy.close()
      }
    })

    it('a batch that loses a deadlock is written again, and once', async () => {
      await database.run(
        'create table crossed (id int primary key, name varchar(20))',
        `insert into crossed values (1, 'ann'), (2, 'bob')`,
        'create table written (id int, name varchar(20))',
        'create table heavy (id int auto_increment primary key, n int)',
        'create trigger writing after update on crossed for each row insert into written values (new.id, new.name)',
      )
      const proxy = await cuttingProxy(database.url)
      const connector = connectorOf(kind)
      const connection = await connector.connect(connector.parseSecrets({ url: proxy.url }))
      await connection.ping()
      // the server ends the transaction that has written less
      const weight = Array.from({ length: 100 }, (_, at) => `(${at})`).join(', ')
      await other.run('start transaction', `insert into heavy (n) values ${weight}`)
      await other.run(`select id from crossed where id = 2 for update`)
      proxy.begin()
      const writing = connection.erase?.(masking('crossed', 1, 2))
      await waiting()
      // row 1 is the batch's, which waits for row 2
      await other.run(`update crossed set name = name where id = 1`, 'delete from written', 'commit')
      await writing
      expect(await database.rows('select id, name from crossed order by id')).toEqual([
        [1, 'x'],
        [2, 'x'],
      ])
      expect(await database.rows('select id, name from written order by id')).toEqual([
        [1, 'x'],
        [2, 'x'],
      ])
      expect(proxy.commands().filter((command) => command.includes('start transaction'))).toHaveLength(2)
      await connection.close()
      await proxy.close()
    })

    it('a write waits no longer than lockTimeoutSeconds for a row in its middle, or for a table, and leaves nothing', async () => {
      await database.run(
        'create table held (id int primary key, name varchar(20))',
        `insert into held values (1, 'ann'), (2, 'bob')`,
      )
      const hasty = await database.connect({ lockTimeoutSeconds: 1 })
      const refused = async () => {
        await expect(hasty.erase?.(masking('held', 1, 2))).rejects.toMatchObject({
          details: { reason: 'lock_timeout', transient: true },
        })
      }
      await other.run('start transaction', 'select id from held where id = 2 for update')
      await refused()
      await other.run('rollback')
      expect(await database.rows('select name from held order by id')).toEqual([['ann'], ['bob']])
      await other.run('lock tables held write')
      await refused()
      await other.run('unlock tables')
      expect(await database.rows('select name from held order by id')).toEqual([['ann'], ['bob']])
      await hasty.erase?.(masking('held', 1, 2))
      expect(await database.rows('select name from held order by id')).toEqual([['x'], ['x']])
    })

    it.each([
      ['InnoDB', ['ann', 'bob']],
      ['MyISAM', ['x', 'bob']],
    ])('an overtaken worker is killed in the middle of a write, and leaves of %s: %j', async (engine, left) => {
      const table = `middle_${engine.toLowerCase()}`
      await database.run(
        'create table if not exists slow (seconds int)',
        'delete from slow',
        'insert into slow values (600)',
        `create table ${table} (id int primary key, name varchar(20)) engine = ${engine}`,
        `insert into ${table} values (1, 'ann'), (2, 'bob')`,
        `create trigger slow_${table} before update on ${table} for each row
          set new.name = if(old.id = 2 and sleep(coalesce((select max(seconds) from slow), 0)) = 0, new.name, if(old.id = 2, old.name, new.name))`,
      )
      const [old, next]: Connection[] = [await database.connect(), await database.connect()]
      const fence = { lock: `${database.name}-${engine}`, confirm: async () => {} }
      const writing = old?.erase?.(masking(table, 1, 2), { fence })
      const failed = expect(writing).rejects.toMatchObject({ code: 'connection_failed' })
      await expect.poll(() => inState('User sleep')).toBe(1)
      await next?.endWrites?.(fence.lock)
      await failed
      expect(await database.rows(`select name from ${table} order by id`)).toEqual(left.map((name) => [name]))
      await database.run('delete from slow')
      await next?.erase?.(masking(table, 1, 2), { fence })
      expect(await database.rows(`select name from ${table} order by id`)).toEqual([['x'], ['x']])
    })
  })
}
