import { once } from 'node:events'
import type { Connector } from '@habeas/core'
import { createConnection } from 'mysql2'
import mysql from 'mysql2/promise'
import { cuttingProxy } from '../../packages/adapter-mysql/test/cutting-proxy.js'
import { place, type RowsServer, type RowsSubject } from './rows-server.js'

const at = (url: string) => `${url}/${place}`
const pieceCharacters = 64 * 1024
const delivered = `select note, at, amount from entry where person_id = (select id from person where email = ?)`
// the server takes no table that it writes in a plain subquery
const update = `update entry set note = 'erased' where id in (select id from (select entry.id from entry
  join person on person.id = person_id where email = ?) as found)`

/** The rows in a database of MySQL or MariaDB. */
export function mysqlRows(connector: () => Connector): RowsServer {
  return {
    connector,
    secrets: (url) => ({ url: at(url) }),
    fill,
    drop: (url) => withSession(url, async (session) => void (await session.query(`drop database if exists ${place}`))),
    async stream(url, email, file) {
      const line = createConnection({ uri: at(url), supportBigNumbers: true, dateStrings: true })
      try {
        let rows = 0
        let lines = ''
        for await (const row of line.execute(delivered, [email]).stream({ highWaterMark: 16 })) {
          rows++
          lines += `${JSON.stringify(row)}\n`
          if (lines.length < pieceCharacters) continue
          if (!file.write(lines)) await once(file, 'drain')
          lines = ''
        }
        file.write(lines)
        return rows
      } finally {
        line.destroy()
      }
    },
    timedUpdate: (url, email) =>
      withSession(at(url), async (session) => {
        const from = performance.now()
        const [result] = await session.query(update, [email])
        return { rows: (result as mysql.ResultSetHeader).affectedRows, milliseconds: performance.now() - from }
      }),
    async counting(url) {
      const proxy = await cuttingProxy(url)
      // a query, or the execution of a prepared statement
      const statements = () => proxy.commands().filter((command) => /^(?:3|23) /.test(command)).length
      return { url: proxy.url, statements, close: proxy.close }
    },
  }
}

const digit =
  '(select 0 d union all select 1 union all select 2 union all select 3 union all select 4 union all select 5 union all select 6 union all select 7 union all select 8 union all select 9)'

async function fill(url: string, { email, rows }: RowsSubject): Promise<void> {
  await withSession(url, async (session) => {
    await session.query(`drop database if exists ${place}`)
    await session.query(`create database ${place} character set utf8mb4`)
    await session.query(`use ${place}`)
    await session.query('create table person (id bigint primary key, email varchar(190) not null, key (email))')
    await session.query(`insert into person values (1, ?), (2, ?)`, [email, `not.${email}`])
    await session.query(
      'create table entry (id bigint primary key, person_id bigint not null, note varchar(200), at datetime, amount decimal(12, 2), key (person_id))',
    )
    const numbers = 'a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d'
    for (let from = 0; from < rows * 2; from += 100_000) {
      await session.query(
        `insert into entry select ${from} + n, 1 + n % 2, concat('entry ', ${from} + n, repeat(' words', 8)),
          '2024-01-01' + interval n second, n / 4
        from (select ${numbers} as n from ${digit} a, ${digit} b, ${digit} c, ${digit} e, ${digit} f) as numbers
        where ${from} + n < ${rows * 2} order by n`,
      )
    }
    await session.query('analyze table entry')
  })
}

async function withSession<Result>(url: string, work: (session: mysql.Connection) => Promise<Result>): Promise<Result> {
  const session = await mysql.createConnection({ uri: url, supportBigNumbers: true, dateStrings: true })
  try {
    return await work(session)
  } finally {
    await session.end()
  }
}
