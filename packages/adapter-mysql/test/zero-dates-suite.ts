import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { erasedAnn } from './open-service.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const zero = { date: '0000-00-00', datetime: '0000-00-00 00:00:00', timestamp: '0000-00-00 00:00:00' }
const key = (name: string) => ({ name, service_meta: { primary_key: true } })

/** Old applications write zero where a day is not known, also into keys. */
export function zeroDatesSuite(kind: Kind): void {
  describe(`dates of zeros in keys, on ${kind}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database?.close())

    const cases = (['date', 'datetime', 'timestamp'] as const).flatMap((type) =>
      (['mask', 'delete'] as const).flatMap((erase) =>
        ['day', 'day, id', 'id, day'].map((columns) => [type, columns, erase] as const),
      ),
    )
    it.each(cases)('%s as (%s): %s', async (type, columns, erase) => {
      await database.run(
        `set session sql_mode = ''`,
        'drop table if exists visit',
        `create table visit (id int not null, day ${type} not null, email varchar(99), note varchar(99), primary key (${columns}))`,
        `insert into visit values (1, '${zero[type]}', 'ann@x.com', 'hers'), (2, '2024-02-03', 'ann@x.com', 'hers'),
          (3, '2024-02-04', 'bob@x.com', 'bobs')`,
      )
      const fields = [
        ...columns.split(', ').map(key),
        { name: 'email', service_meta: { identity: 'email' } },
        { name: 'note', data_categories: ['user'] },
      ]
      const collections = [{ name: 'visit', service_meta: { erase }, fields }]
      const { status, failure } = await erasedAnn(kind, database.url, collections)
      expect([status, failure]).toEqual(['complete', undefined])
      const left = erase === 'mask' ? [null, null, 'bobs'] : ['bobs']
      expect((await database.rows('select note from visit order by id')).flat()).toEqual(left)
    })

    const ways = (['date', 'datetime', 'timestamp'] as const).flatMap((type) =>
      (['mask', 'delete'] as const).flatMap((erase) => [true, false].map((bound) => [type, erase, bound] as const)),
    )
    it.each(ways)('a row that refers to a %s of zeros: %s, foreign key %s', async (type, erase, bound) => {
      const foreignKey = bound ? ', foreign key (visit, day) references visit (id, day)' : ''
      await database.run(
        `set session sql_mode = ''`,
        'drop table if exists stay, visit',
        `create table visit (id int not null, day ${type} not null, email varchar(99), note varchar(99), primary key (id, day))`,
        `create table stay (id int primary key, visit int, day ${type}, note varchar(99)${foreignKey})`,
        `insert into visit values (1, '${zero[type]}', 'ann@x.com', 'hers'), (1, '2024-02-04', 'bob@x.com', 'bobs')`,
        `insert into stay values (1, 1, '${zero[type]}', 'hers'), (2, 1, '2024-02-04', 'bobs')`,
      )
      const part = (name: string, field: string) => ({
        name,
        service_meta: { references: [{ dataset: 'shop', field: `visit.${field}`, direction: 'from', group: 'visit' }] },
      })
      const note = { name: 'note', data_categories: ['user'] }
      const meta = { service_meta: { erase } }
      const email = { name: 'email', service_meta: { identity: 'email' } }
      const collections = [
        { name: 'visit', ...meta, fields: [key('id'), key('day'), email, note] },
        { name: 'stay', ...meta, fields: [key('id'), part('visit', 'id'), part('day', 'day'), note] },
      ]
      const { status, failure } = await erasedAnn(kind, database.url, collections)
      expect([status, failure]).toEqual(['complete', undefined])
      const left = erase === 'mask' ? [null, 'bobs'] : ['bobs']
      for (const table of ['visit', 'stay'])
        expect((await database.rows(`select note from ${table} order by day`)).flat()).toEqual(left)
    })
  })
}
