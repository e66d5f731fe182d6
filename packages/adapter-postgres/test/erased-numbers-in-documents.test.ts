import { expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()

it.each(['jsonb', 'json'])('a %s document is erased whatever numbers it holds beside', async (type) => {
  const numbers = ['1', '9007199254740993', '12345678901234567890.5', '1e400', '10.00', '"9007199254740993"', '-0.0']
  const rows = numbers.map((number, at) => `(${at}, '{"by": 1, "text": "secret", "n": ${number}}')`)
  const database = await openDatabase(
    server.url,
    `create table person (id int primary key, email text); insert into person values (1, 'ann@example.com'), (2, 'bob@example.com');
     create table thing (id int primary key, data ${type});
     insert into thing values ${rows.join(', ')}, (99, '{"by": 2, "text": "of Bob", "n": 9007199254740993}');`,
  )
  try {
    const by = plain('by', { references: [{ dataset: 'shop', field: 'person.id', direction: 'from' }] })
    const person = {
      name: 'person',
      fields: [plain('id', { primary_key: true }), plain('email', { identity: 'email' })],
    }
    const data = { ...plain('data'), fields: [by, erased('text')] }
    const thing = { name: 'thing', fields: [plain('id', { primary_key: true }), data] }
    await using shop = await erasedShop({ database, collections: [person, thing] })
    const request = await shop.erase({ email: 'ann@example.com' })
    expect([request.status, request.failure]).toEqual(['complete', undefined])
    expect(countsOf(request)['thing']).toEqual({ masked: numbers.length })
    const { rows: left } = await database.client.query('select id, data::text from thing order by id')
    expect(left.pop()?.data).toMatch(/(?=.*"of Bob").*9007199254740993/)
    for (const { id, data } of left) {
      expect(data).toMatch(/"text": ?null/)
      // the number stays as it was written; jsonb writes these two in its own way
      const isKept = numbers[id] === '1e400' || numbers[id] === '-0.0' || data.includes(numbers[id])
      expect(isKept, data).toBe(true)
    }
  } finally {
    await database.close()
  }
})
