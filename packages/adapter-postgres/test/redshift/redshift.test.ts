import { describe, expect, it } from 'vitest'
import { redshiftErrors } from '../../src/redshift/redshift-errors.js'
import { having, rowsOf } from '../database.js'
import { redshiftServer } from './redshift-database.js'
import { redshiftSuite } from './redshift-suite.js'
import { refusedIn } from './refused-statements.js'

const server = redshiftServer()

redshiftSuite(() => server.url)

describe('statements for Redshift', () => {
  it('compare columns as they stand, so that sort keys leave blocks out', async () => {
    const database = await server.open([], 'create table t (id bigint not null, site int, email varchar(50))')
    const { connection, schema } = database
    await connection.describe()
    const table = `"${schema.replaceAll('"', '""')}"."t"`
    const from = server.statements.length
    await rowsOf(connection, 't', ['id'], having('id', 1, 2))
    await rowsOf(connection, 't', ['id'], having('email', 'a'))
    const anyOf = [
      {
        fields: [{ path: ['id'] }, { path: ['site'] }],
        values: [
          [1, 2],
          [3, 4],
        ],
      },
    ]
    await rowsOf(connection, 't', ['id'], ...anyOf)
    const batch = { collection: 't', key: ['id'], keys: [[1, 2]], anyOf: [having('site', 3)] }
    // another worker may come in five seconds
    const fence = { lock: 'mine', confirm: async () => {}, leftMs: () => 5_000 }
    await connection.erase!({ ...batch, set: [{ column: 'email', toEach: ['x', 'y'] }] }, { fence })
    const big = (n: number) => `cast($${n} as bigint)`
    const text = (n: number) => `cast($${n} as varchar(65535))`
    const bytes = (what: string) => `to_varbyte(${what}, 'utf8')`
    const pair = (first: number) => `("id" = ${big(first)} and "site" = ${big(first + 1)})`
    expect(server.statements.slice(from)).toEqual([
      `select "id" from ${table} where "id" in (${big(1)}, ${big(2)})`,
      `select "id" from ${table} where ("email" = ${text(1)} and ${bytes('"email"')} = ${bytes(text(2))})`,
      expect.stringMatching(/^select "id" from .* where \(/),
      'begin',
      'set statement_timeout = 300000',
      `select count(*) from ${table} where "id" in (${big(1)}, ${big(2)})`,
      expect.stringMatching(
        /^update .* set "email" = case when "email" is null then null else "batch_1" end from \(select .* union all select .*\) as "batch" where "id" = "batch_0" and "id" in \(/,
      ),
      'set statement_timeout = 5000',
      'commit',
      'set statement_timeout = 0',
    ])
    expect(server.statements[from + 2]).toContain(`(${pair(5)} or ${pair(7)})`)
    await database.close()
  })
})

describe('the double of Redshift', () => {
  it.each([
    ['select id from t for update', 'row locks'],
    ['delete from t where id = any($1)', 'arrays'],
    ['delete from t returning id', 'RETURNING'],
    ['savepoint s', 'SAVEPOINT'],
    ['select $1::jsonb', 'JSON'],
    ['set constraints all immediate', 'SET CONSTRAINTS'],
  ])('refuses %s', (statement, what) => {
    expect(refusedIn(statement)).toBe(what)
  })

  it('takes words in texts and names', () => {
    expect(refusedIn(`select 'for update', "returning", json_parse(x) from t -- savepoint`)).toBeUndefined()
  })
})

describe('what the errors of Redshift mean', () => {
  it.each([
    [{ code: 'XX000', message: '1023', detail: 'Serializable isolation violation on table - 1' }, '1023'],
    [{ code: 'XX000', message: 'Cannot insert a NULL value into column name' }, '23502'],
    [{ code: 'XX000', message: 'Assert', detail: 'error: Value too long for character type code: 8001' }, '22001'],
    [{ code: 'XX000', message: 'connection limit "500" exceeded for non-bootstrap users' }, 'too_many'],
    [{ code: '53300', message: 'connection limit "500" exceeded for non-bootstrap users' }, 'too_many'],
    [{ code: '28000', message: 'password authentication failed for user "x"' }, '28P01'],
    [{ code: '28000', message: 'no pg_hba.conf entry for host "::1", user "x", database "d", SSL off' }, 'unencrypted'],
    [{ code: '28000', message: 'user "x" is locked' }, '28000'],
    [{ code: 'XX000', message: "Query (12) cancelled on user's request" }, '57014'],
    [{ code: 'XX000', message: 'something else' }, 'XX000'],
  ])('%j', (error, code) => {
    expect(redshiftErrors.codeOf(Object.assign(new Error(error.message), error))).toBe(code)
  })
})
