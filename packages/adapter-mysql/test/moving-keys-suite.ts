import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { erasedAnn } from './open-service.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const personal = (name: string, service_meta = {}) => ({ name, data_categories: ['user'], service_meta })
const fields = [
  { name: 'id', service_meta: { primary_key: true } },
  personal('email', { identity: 'email' }),
  personal('note'),
]

/** Keys that change when their row is written. */
export function movingKeysSuite(kind: Kind): void {
  describe(`keys that move with a write, on ${kind}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
      const columns =
        'email varchar(50), note varchar(50), changed timestamp(6) not null default current_timestamp(6) on update current_timestamp(6)'
      await database.run(
        'create table moved (id int primary key, email varchar(50), note varchar(50))',
        `create table stamped (${columns}, primary key (changed))`,
        `create table keyed (code int not null unique, ${columns}, primary key (changed))`,
        `create table unkeyed (${columns})`,
        `create trigger moves before update on moved for each row set new.id = old.id + 100, new.note = old.note`,
        `insert into moved values (1, 'ann@x.com', 'hi'), (2, 'bob@x.com', 'hi')`,
      )
      const rows = `values ('ann@x.com', 'hi', '2020-01-01'), ('bob@x.com', 'hi', '2020-01-02')`
      await database.run(
        `insert into stamped (email, note, changed) ${rows}`,
        `insert into unkeyed (email, note, changed) ${rows}`,
        `insert into keyed values (1, 'ann@x.com', 'hi', '2020-01-01'), (2, 'bob@x.com', 'hi', '2020-01-02')`,
      )
    })
    afterAll(() => database?.close())
    const erased = (name: string, described: readonly object[]) =>
      erasedAnn(kind, database.url, [{ name, fields: described }])
    const emails = async (table: string) => (await database.rows(`select email from ${table} order by email`)).flat()

    it('by a trigger: the request ends in an error that names the key', async () => {
      const end = await erased('moved', fields)
      expect(end).toMatchObject({
        status: 'error',
        failure: expect.stringContaining('is not found by its id any more'),
      })
      expect(await database.rows('select id, note from moved order by id')).toEqual([
        [2, 'hi'],
        [101, 'hi'],
      ])
    })

    it('by the time of the change: the plan refuses, and another key is taken where there is one', async () => {
      const stamped = [{ name: 'changed', service_meta: { primary_key: true } }, ...fields.slice(1)]
      expect(await erased('stamped', stamped)).toMatchObject({
        status: 'error',
        failure: expect.stringContaining('the database writes changed anew with each change'),
      })
      expect(await emails('stamped')).toEqual(['ann@x.com', 'bob@x.com'])
      expect(await erased('keyed', [...stamped, { name: 'code' }])).toEqual({ status: 'complete', failure: undefined })
      expect(await emails('keyed')).toEqual([null, 'bob@x.com'])
    })

    it('rows without a key that hold the time of the change are masked', async () => {
      const unkeyed = [{ name: 'changed' }, ...fields.slice(1)]
      expect(await erased('unkeyed', unkeyed)).toEqual({ status: 'complete', failure: undefined })
      expect(await emails('unkeyed')).toEqual([null, 'bob@x.com'])
    })
  })
}
