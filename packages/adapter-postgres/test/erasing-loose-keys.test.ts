import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, plain, refer } from './erased-shop.js'
import { caseless, looseTypes } from './loose-types.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const ann = 'ann@example.com'
const customer = {
  name: 'customer',
  fields: [plain('code', { primary_key: true }), plain('email', { identity: 'email' }), erased('name')],
}

describe.each(['mask', 'delete'] as const)('%s', (erase) => {
  it.each(looseTypes)('%s %s', async (type, pointer, key, other, bobs) => {
    const database = await openDatabase(
      server.url,
      `${caseless}
       create table customer (code ${type} primary key, email text, name text);
       create table visit (id int primary key, code ${pointer} references customer on delete cascade, note text);
       create table room (code ${type} primary key, label text);
       create table stay (id int primary key, email text, code ${pointer} references room, note text);
       insert into customer values ('${key}', '${ann}', 'Ann'), ('${bobs}', 'bob@example.com', 'Bob');
       insert into visit values (1, '${other}', 'hers'), (2, null, 'nobody''s'), (3, '${bobs}', 'bobs');
       insert into room values ('${key}', 'hers'), ('${bobs}', 'shared');
       insert into stay values (1, '${ann}', '${other}', 'hers'), (2, '${ann}', '${bobs}', 'hers'), (3, 'bob@example.com', '${bobs}', 'bobs')`,
    )
    try {
      const meta = { service_meta: { erase } }
      const collections = [
        {
          name: 'customer',
          ...meta,
          fields: [plain('code', { primary_key: true }), plain('email', { identity: 'email' }), erased('name')],
        },
        {
          name: 'visit',
          ...meta,
          fields: [plain('id', { primary_key: true }), refer('code', 'customer.code', 'from'), erased('note')],
        },
        { name: 'room', fields: [plain('code', { primary_key: true }), erased('label')] },
        {
          name: 'stay',
          fields: [
            plain('id', { primary_key: true }),
            plain('email', { identity: 'email' }),
            refer('code', 'room.code', 'to'),
            erased('note'),
          ],
        },
      ]
      await using shop = await erasedShop({ database, collections })
      const request = await shop.erase({ email: ann })
      expect([request.status, request.failure]).toEqual(['complete', undefined])
      const is = erase === 'mask' ? 'masked' : 'erased'
      expect(countsOf(request)).toMatchObject({
        customer: { [is]: 1 },
        visit: { [is]: 1 },
        stay: { masked: 2 },
        room: { masked: 1, retained: 1 },
      })
      const { rows } = await database.client.query('select note from visit order by id')
      expect(rows.map(({ note }) => note)).toEqual(erase === 'mask' ? [null, "nobody's", 'bobs'] : ["nobody's", 'bobs'])
      const rooms = await database.client.query('select label from room order by label')
      expect(rooms.rows.map(({ label }) => label)).toEqual(['shared', null])
    } finally {
      await database.close()
    }
  })

  it('rows without a key that hold documents', async () => {
    const database = await openDatabase(
      server.url,
      `create table customer (code jsonb primary key, email text, name text);
       create table visit (code jsonb references customer on delete cascade, doc json, note text);
       insert into customer values ('[1]', '${ann}', 'Ann'), ('["1"]', 'bob@example.com', 'Bob');
       insert into visit values ('[1.0]', '{"a": 1.00}', 'hers'), ('[1]', '{"a":1}', 'hers'), ('[1.00]', 'null', 'hers'),
         ('[1]', null, 'hers'), ('["1"]', '{"a": 1}', 'bobs')`,
    )
    try {
      const meta = { service_meta: { erase } }
      const collections = [
        { ...customer, ...meta },
        { name: 'visit', ...meta, fields: [refer('code', 'customer.code', 'from'), erased('doc'), erased('note')] },
      ]
      await using shop = await erasedShop({ database, collections })
      const request = await shop.erase({ email: ann })
      expect([request.status, request.failure]).toEqual(['complete', undefined])
      const is = erase === 'mask' ? 'masked' : 'erased'
      expect(countsOf(request)).toMatchObject({ customer: { [is]: 1 }, visit: { [is]: 4 } })
      const { rows } = await database.client.query('select note from visit where note is not null')
      expect(rows).toEqual([{ note: 'bobs' }])
    } finally {
      await database.close()
    }
  })

  it('rows without a key', async () => {
    const database = await openDatabase(
      server.url,
      `${caseless}
       create table customer (code public.citext primary key, email text, name text);
       create table visit (code public.citext references customer on delete cascade, note text);
       insert into customer values ('Ab', '${ann}', 'Ann'), ('ac', 'bob@example.com', 'Bob');
       insert into visit values ('aB', 'hers'), ('aB', 'hers'), ('AB', 'hers'), ('AC', 'bobs')`,
    )
    try {
      const meta = { service_meta: { erase } }
      const collections = [
        { ...customer, ...meta },
        { name: 'visit', ...meta, fields: [refer('code', 'customer.code', 'from'), erased('note')] },
      ]
      await using shop = await erasedShop({ database, collections })
      const request = await shop.erase({ email: ann })
      expect([request.status, request.failure]).toEqual(['complete', undefined])
      const is = erase === 'mask' ? 'masked' : 'erased'
      expect(countsOf(request)).toMatchObject({ customer: { [is]: 1 }, visit: { [is]: 3 } })
      const { rows } = await database.client.query('select note from visit order by note')
      expect(rows.map(({ note }) => note)).toEqual(erase === 'mask' ? ['bobs', null, null, null] : ['bobs'])
    } finally {
      await database.close()
    }
  })
})

it.each([
  ['public.citext', 'public.citext'],
  ['text collate public.caseless', 'varchar(9) collate public.caseless'],
])('a row to which others point in another spelling stays, without a foreign key: %s', async (type, pointer) => {
  const database = await openDatabase(
    server.url,
    `${caseless}
     create table room (code ${type} primary key, label text);
     create table stay (id int primary key, email text, code ${pointer}, kind ${pointer}, note text);
     insert into room values ('A', 'shared'), ('B', 'shared'), ('C', 'hers');
     insert into stay values (1, '${ann}', 'A', 'room', 'x'), (2, 'bob@example.com', 'a', 'room', 'x'),
       (3, '${ann}', 'B', 'room', 'x'), (4, 'bob@example.com', 'B', 'Room', 'x'),
       (5, '${ann}', 'C', 'room', 'x'), (6, 'bob@example.com', 'C', 'other', 'x')`,
  )
  try {
    const toRoom = { dataset: 'shop', field: 'room.code', direction: 'to', when: { kind: 'room' } }
    const pointing = plain('code', { references: [toRoom] })
    const fields = [plain('id', { primary_key: true }), plain('email', { identity: 'email' }), pointing, plain('kind')]
    const collections = [
      { name: 'room', fields: [plain('code', { primary_key: true }), erased('label')] },
      { name: 'stay', fields: [...fields, erased('note')] },
    ]
    await using shop = await erasedShop({ database, collections })
    const request = await shop.erase({ email: ann })
    expect([request.status, request.failure]).toEqual(['complete', undefined])
    expect(countsOf(request)).toMatchObject({ room: { masked: 1, retained: 2 } })
    const { rows } = await database.client.query('select label from room order by label')
    expect(rows.map(({ label }) => label)).toEqual(['shared', 'shared', null])
  } finally {
    await database.close()
  }
})

it.each([
  ['public.citext', 'public.citext'],
  ['text collate public.caseless', 'varchar(9) collate public.caseless'],
  ['public.citext', 'text'],
])('rows that spell a key differently are told and left without a foreign key: %s, %s', async (type, pointer) => {
  const database = await openDatabase(
    server.url,
    `${caseless}
     create table customer (code ${type} primary key, email text, name text);
     create table visit (id int primary key, code ${pointer}, note text);
     insert into customer values ('Ab', '${ann}', 'Ann'), ('ac', 'bob@example.com', 'Bob');
     insert into visit values (1, 'Ab', 'hers'), (2, 'aB', 'hers'), (3, 'AB', 'hers'), (4, 'AC', 'bobs')`,
  )
  try {
    const fields = [plain('id', { primary_key: true }), refer('code', 'customer.code', 'from'), erased('note')]
    await using shop = await erasedShop({ database, collections: [customer, { name: 'visit', fields }] })
    // a text column tells the spellings apart, and so does an application that joins by it
    const left = pointer === 'text' ? [] : [{ reference: 'shop:visit.code', rowCount: 2 }]
    const undecided = ({ results = [] }: Awaited<ReturnType<typeof shop.access>>) =>
      results.flatMap((each) => each.undecided ?? [])
    expect(undecided(await shop.access({ email: ann }))).toMatchObject(left)
    if (left.length > 0) {
      const paused = await shop.erase({ email: ann })
      expect(paused).toMatchObject({
        status: 'paused',
        actionRequired: { accept: { acceptUndecided: ['shop:visit.code'] } },
      })
      expect(paused.actionRequired?.message).toContain('2 rows of shop:visit may belong to this person')
      expect(paused.actionRequired?.message).toContain('one spelling at both ends, or a foreign key')
      await shop.privacy.requests.cancel(paused.id)
    }
    const request = await shop.erase({ email: ann }, { acceptUndecided: left.map(({ reference }) => reference) })
    expect([request.status, request.failure, undecided(request)]).toMatchObject(['complete', undefined, left])
    const { rows } = await database.client.query('select note from visit order by id')
    expect(rows.map(({ note }) => note)).toEqual([null, 'hers', 'hers', 'bobs'])
  } finally {
    await database.close()
  }
})
