import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { erasedAnn } from './open-service.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const key = (name: string) => ({ name, service_meta: { primary_key: true } })
const note = { name: 'note', data_categories: ['user'] }
const email = { name: 'email', service_meta: { identity: 'email' } }

/** What the server calls a TINYINT(1) holds flags and small numbers. */
export function smallNumbersSuite(kind: Kind): void {
  describe(`numbers in columns of flags, on ${kind}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database?.close())

    async function erased(visit: object) {
      const end = await erasedAnn(kind, database.url, [
        { name: 'customer', fields: [key('id'), email, note] },
        { name: 'visit', fields: [key('id'), visit, { name: 'kind' }, note] },
      ])
      return { ...end, notes: (await database.rows('select note from visit order by id')).flat() }
    }

    async function filled(customer: string, rows: string) {
      await database.run(
        'drop table if exists customer, visit',
        'create table customer (id int primary key, email varchar(99), note varchar(99))',
        `create table visit (id int primary key, customer ${customer}, kind tinyint(1), note varchar(99))`,
        `insert into customer values (2, 'ann@x.com', 'hers'), (3, 'bob@x.com', 'bobs')`,
        `insert into visit values ${rows}`,
      )
    }

    it.each(['tinyint(1)', 'bit(1)'])('a key that %s does not lead to is told with the way out', async (type) => {
      await filled(type, `(1, 1, 0, 'hers')`)
      const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from' }]
      const { status, failure, notes } = await erased({ name: 'customer', service_meta: { references } })
      expect([status, notes]).toEqual(['error', ['hers']])
      expect(failure).toContain('A column of the type TINYINT(1) or BIT(1) is a boolean')
      expect(failure).toContain('or a foreign key.')
    })

    it('a condition on a number beyond 1 is met', async () => {
      await filled('int', `(1, 2, 2, 'hers'), (2, 2, 1, 'not a customer'), (3, 3, 2, 'bobs')`)
      const when = { kind: 2 }
      const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from', when }]
      const { status, failure, notes } = await erased({ name: 'customer', service_meta: { references } })
      expect([status, failure]).toEqual(['complete', undefined])
      expect(notes).toEqual([null, 'not a customer', 'bobs'])
    })
  })
}
