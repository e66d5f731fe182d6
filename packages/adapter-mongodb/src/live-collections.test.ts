import { Binary, type Document, Double, Int32, Long, ObjectId } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { databaseOf, described, onId, describeOptions as options } from '../test/described-collection.js'
import { liveCollections } from './live-collections.js'
import { outlineOf } from './sampled-columns.js'

describe('collections that are not written', () => {
  it.each([
    [{ type: 'view', options: { viewOn: 'people', pipeline: [] } }, 'is a view'],
    [{ type: 'timeseries', options: { timeseries: { timeField: 'at' } } }, 'is a time-series collection'],
  ])('%o: neither indexes nor a count are asked for', async (info, why) => {
    const database = databaseOf([{ info: { name: 'seen', ...info }, documents: [{ _id: new Int32(1) }] }])
    const [live] = await liveCollections(database, options)
    expect(live?.unwritable).toContain(why)
    expect(live?.catalogue).toMatchObject({ indexes: [] })
    expect(live?.catalogue.view?.writable ?? live?.catalogue.unwritable).toSatisfy((told) => told === false || told)
  })

  it('a view names what it shows', async () => {
    const info = { name: 'seen', type: 'view', options: { viewOn: 'people' } }
    const [live] = await liveCollections(databaseOf([{ info }]), options)
    expect(live?.catalogue.view).toEqual({ writable: false, shows: ['people'] })
  })

  it('a view names all that it joins and appends, and what lies behind other views', async () => {
    const view = (name: string, viewOn: string, ...pipeline: Document[]) => ({
      info: { name, type: 'view', options: { viewOn, pipeline } },
    })
    const union = { $unionWith: { coll: 'archive', pipeline: [{ $lookup: { from: 'cities', pipeline: [] } }] } }
    const facet = { $facet: { one: [{ $unionWith: 'guests' }], two: [{ $graphLookup: { from: 'friends' } }] } }
    const elsewhere = { $lookup: { from: { db: 'crm', coll: 'leads' } } }
    const found = await liveCollections(
      databaseOf([
        view('deep', 'middle', { $match: { $lookup: 1 } }),
        view('middle', 'people', union, facet, elsewhere, { $lookup: { from: 'deep', pipeline: [] } }),
      ]),
      options,
    )
    const shows = ['archive', 'cities', 'crm.leads', 'friends', 'guests', 'people']
    expect(found.map(({ catalogue }) => [catalogue.name, catalogue.view?.shows])).toEqual([
      ['deep', shows],
      ['middle', shows],
    ])
  })

  it('a capped collection', async () => {
    const { unwritable, catalogue } = await described({ info: { options: { capped: true, size: 1 } } })
    expect(unwritable).toContain('capped')
    expect(catalogue.unwritable).toBe(unwritable)
    expect((await described({})).catalogue.unwritable).toBeUndefined()
  })
})

it('a sample of large documents may be sorted on disk', async () => {
  const database = databaseOf([{ info: { name: 'films' }, indexes: [onId], count: 1 }])
  const asked: unknown[] = []
  const watched = {
    listCollections: () => database.listCollections(),
    collection(name: string) {
      const collection = database.collection(name)
      return Object.assign(collection, {
        aggregate(...given: unknown[]) {
          asked.push(given)
          return collection.find({})
        },
      })
    },
  }
  await liveCollections(watched as never, options)
  expect(asked).toEqual([[[{ $sample: { size: 3 } }], expect.objectContaining({ allowDiskUse: true })]])
})

describe('hidden values', () => {
  it('are told by the options of the collection', async () => {
    const live = await described({ info: { options: { encryptedFields: { fields: [] } } } })
    expect(live.catalogue.hidesRows).toBe(true)
  })

  it.each([
    { ssn: { encrypt: { bsonType: 'string' } } },
    { home: { bsonType: 'object', properties: { street: { encrypt: {} } } } },
    { visits: { bsonType: 'array', items: { properties: { note: { encrypt: {} } } } } },
  ])('are told by a validator of %o', async (properties) => {
    const live = await described({ info: { options: { validator: { $jsonSchema: { properties } } } } })
    expect(live.catalogue.hidesRows).toBe(true)
  })

  it('are not told by a field that is called like that', async () => {
    const properties = { encrypt: { bsonType: 'bool' }, home: { properties: { encrypt: { bsonType: 'object' } } } }
    const live = await described({ info: { options: { validator: { $jsonSchema: { properties } } } } })
    expect(live.catalogue.hidesRows).toBeUndefined()
  })

  it.each([
    ['a member', { home: { street: new Binary(Buffer.from([1]), 6) } }],
    ['an element', { phones: ['1', new Binary(Buffer.from([1]), 6)] }],
    ['a member of an element', { visits: [[{ note: new Binary(Buffer.from([1]), 6) }]] }],
  ])('are told by %s in the sample', async (_, document) => {
    expect((await described({ documents: [{ _id: new Int32(1), ...document }] })).catalogue.hidesRows).toBe(true)
  })

  it('are told by the sample', async () => {
    const encrypted = await described({ documents: [{ _id: new Int32(1), ssn: new Binary(Buffer.from([1]), 6) }] })
    expect(encrypted.catalogue.hidesRows).toBe(true)
    const plain = await described({ documents: [{ _id: new Int32(1), ssn: new Binary(Buffer.from([1])) }] })
    expect(plain.catalogue.hidesRows).toBeUndefined()
  })
})

describe('keys', () => {
  const indexes = [
    onId,
    { key: { email: 1 }, name: 'email', unique: true },
    { key: { tenant: 1, number: -1 }, name: 'number', unique: true },
    { key: { phone: 1 }, name: 'phone', unique: true, sparse: true },
    { key: { fax: 1 }, name: 'fax', unique: true, partialFilterExpression: { fax: { $exists: true } } },
    { key: { 'contact.mail': 1 }, name: 'mail', unique: true },
    { key: { tags: 1 }, name: 'tags', unique: true },
    { key: { _fts: 'text' }, name: 'text' },
    { key: { '$**': 1 }, name: 'all' },
  ]

  it('are unique indexes over whole columns that hold one value in every document', async () => {
    const { catalogue } = await described({ indexes, documents: [{ _id: new Int32(1), tags: ['a'] }] })
    expect(catalogue.primaryKey).toEqual(['_id'])
    expect(catalogue.uniqueKeys).toEqual([['email'], ['tenant', 'number']])
    expect(catalogue.indexes).toEqual([['_id'], ['email'], ['tenant', 'number'], ['phone'], ['contact.mail'], ['tags']])
    expect(catalogue.keysEnforced).toBeUndefined()
  })

  it('take null for a value, also where documents without the field are left out', async () => {
    const partial = {
      key: { code: 1 },
      name: 'code',
      unique: true,
      partialFilterExpression: { code: { $type: 'string' } },
    }
    const documents = [{ _id: new Int32(1), tags: ['a'] }]
    const { catalogue } = await described({ indexes: [...indexes, partial], documents })
    const ofMember = [['contact'], ['contact', 'mail']]
    expect(catalogue.nullOnce).toEqual([['email'], ['phone'], ['fax'], ...ofMember, ['tags']])
    expect((await described({})).catalogue.nullOnce).toBeUndefined()
  })

  it('take null for a value in members of objects and of lists as well', async () => {
    const onAddress = { key: { 'emails.address': 1 }, name: 'address', unique: true, sparse: true }
    const documents = [{ _id: new Int32(1), contact: { mail: 'a' }, emails: [{ address: 'a' }] }]
    const onMail = { key: { 'contact.mail': 1 }, name: 'mail', unique: true }
    const { catalogue } = await described({ indexes: [onId, onMail, onAddress], documents })
    // null in the place of a list takes its members away, and a sparse index leaves such a document out
    expect(catalogue.nullOnce).toEqual([['contact'], ['contact', 'mail'], ['emails', 'address']])
  })

  it('are not taken for enforced on a sharded cluster', async () => {
    expect((await described({ indexes }, { sharded: true })).catalogue.keysEnforced).toBe(false)
  })
})

describe('columns', () => {
  it('of a sample say in how many documents they are, and which types they have', async () => {
    const { catalogue, closed } = await described({
      documents: [
        { _id: new ObjectId(), age: new Int32(1), note: 'a' },
        { _id: new ObjectId(), age: 'one' },
      ],
    })
    expect(closed).toBe(false)
    expect(catalogue.schemaless).toBe(true)
    expect(catalogue.sampled).toBe(2)
    expect(catalogue.columns).toEqual([
      { name: '_id', type: 'objectId, in 2 of 2 documents', kind: 'object_id', nullable: false },
      { name: 'age', type: 'int or string, in 2 of 2 documents', kind: 'string', nullable: true },
      { name: 'note', type: 'string, in 1 of 2 documents', kind: 'string', nullable: true },
    ])
  })

  it('have the members of their documents, and of those in lists, but not the keys of a map', async () => {
    const map = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`key ${at}`, new Int32(at)]))
    const validator = {
      $jsonSchema: { properties: { home: { bsonType: 'object', properties: { zip: { bsonType: 'string' } } } } },
    }
    const { catalogue } = await described({
      info: { options: { validator } },
      documents: [
        { _id: new Int32(1), home: { city: 'Rome' }, devices: [{ label: 'a' }, { port: new Int32(1) }], map },
        { _id: new Int32(2), home: { city: 'Oslo' }, devices: [], mixed: [{ a: 'a' }, 'b'] },
        { _id: new Int32(3), cells: [[{ notes: [{ by: new Int32(1) }] }, null]] },
      ],
    })
    const membersOf = (name: string) =>
      catalogue.columns.find((column) => column.name === name)?.members?.map(({ name: member, kind }) => [member, kind])
    expect(membersOf('home')).toEqual([
      ['zip', 'string'],
      ['city', 'string'],
    ])
    expect(membersOf('devices')).toEqual([
      ['label', 'string'],
      ['port', 'integer'],
    ])
    expect(membersOf('mixed')).toEqual([['a', 'string']])
    expect(membersOf('cells')).toEqual([['notes', 'object']])
    expect([membersOf('map'), membersOf('_id')]).toEqual([undefined, undefined])
  })

  it.each([
    'ann@example_com',
    '65f0c0ffee0123456789abcd',
    '8c6ad6d9-5f0e-4a55-8f5a-3c9b2a7d1e42',
    '8c6ad6d95f0e4a558f5a3c9b2a7d1e42',
    '+39123',
    '7',
  ])('have no members that are named like an id, such as %s', async (name) => {
    const validator = {
      $jsonSchema: { properties: { by: { bsonType: 'object', properties: { all: { bsonType: 'int' } } } } },
    }
    const { catalogue } = await described({
      info: { options: { validator } },
      documents: [{ _id: new Int32(1), by: { [name]: { nick: 'Ann' } }, sum: { all: 1 } }],
    })
    const [, by, sum] = catalogue.columns
    expect(by?.members?.map((member) => member.name)).toEqual(['all'])
    expect(sum?.members?.map((member) => member.name)).toEqual(['all'])
    expect(JSON.stringify(catalogue)).not.toContain(name)
  })

  it('have members also where some documents hold one object and others a list of them', async () => {
    const documents = [
      { _id: new Int32(1), home: { city: 'Rome' } },
      { _id: new Int32(2), home: [{ zip: '1' }] },
    ]
    const { catalogue } = await described({ documents })
    expect(catalogue.columns[1]).toMatchObject({
      type: 'array or object, in 2 of 2 documents',
      kind: 'object',
      array: true,
    })
    expect(catalogue.columns[1]?.members?.map(({ name }) => name)).toEqual(['city', 'zip'])
  })

  it('have the members of a DBRef, also where only some documents hold one', async () => {
    const documents = [
      { _id: new Int32(1), who: { $ref: 'users', $id: new Int32(1), name: 'Ann' } },
      { _id: new Int32(2), who: { name: 'Bob' } },
    ]
    const [, who] = (await described({ documents })).catalogue.columns
    expect(who).toMatchObject({ type: 'object, in 2 of 2 documents', kind: 'object' })
    expect(who?.members?.map(({ name }) => name)).toEqual(['$ref', '$id', 'name'])
  })

  it('of lists say which types their elements have', async () => {
    const documents = [
      { _id: new Int32(1), tags: ['a', new Int32(1)], none: [] },
      { _id: new Int32(2), tags: [null] },
    ]
    const { catalogue } = await described({ documents })
    expect(catalogue.columns.slice(1).map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'tags: array of int or null or string, in 2 of 2 documents',
      'none: array, in 1 of 2 documents',
    ])
  })

  it('are derived from outlines, which hold no data', () => {
    const uuid = new Binary(Buffer.alloc(16), Binary.SUBTYPE_UUID)
    const list = ['a', 'b', new Int32(1), { at: 'a' }, { at: 'b' }, ['a', 'b']]
    expect(outlineOf({ note: 'x'.repeat(1_000), scan: new Binary(Buffer.alloc(1_000)), uuid, list })).toEqual({
      ...{ note: '', scan: new Binary(), uuid: new Binary(undefined, Binary.SUBTYPE_UUID) },
      list: ['', new Int32(1), { at: '' }, { at: '' }, ['']],
    })
  })

  it('say where most texts are e-mail addresses', async () => {
    const documents = [
      {
        _id: 'ann@example.org',
        by: 'Ann',
        note: 'a text',
        tags: ['bob@example.org', 'x@y.example'],
        to: { at: 'a@b.example' },
      },
      {
        _id: 'bob@example.org',
        by: 'bob@example.org',
        note: 'mail ann@example.org',
        tags: ['cy@example.org'],
        n: new Int32(1),
      },
      { _id: 'n/a', by: 'Cy', note: 'cy@example.org' },
    ]
    const { columns } = (await described({ documents })).catalogue
    expect(columns.filter(({ holds }) => holds).map(({ name }) => name)).toEqual(['_id', 'tags'])
    expect(columns.find(({ name }) => name === 'to')?.members).toMatchObject([{ name: 'at', holds: 'email' }])
  })

  it('say where some hold an object and others a list', async () => {
    const one = { email: 'ann@example.org' }
    const documents = [
      { _id: new Int32(1), by: one, of: [one], to: { cc: [one] }, tags: ['a'], no: one },
      { _id: new Int32(2), by: [one], of: [], to: { cc: one }, tags: 'b', no: 'x' },
    ]
    const { columns } = (await described({ documents })).catalogue
    const all = columns.flatMap((column) => [column, ...(column.members ?? [])])
    expect(all.filter(({ orObject }) => orObject).map(({ name, array }) => [name, array])).toEqual([
      ['by', true],
      ['cc', true],
    ])
  })

  it('have members with a dot in their names', async () => {
    const documents = [{ _id: new Int32(1), a: { 'x.y': 'text' }, l: [{ 'author.id': new Int32(2) }] }]
    const { columns } = (await described({ documents })).catalogue
    expect(columns.flatMap(({ members = [] }) => members)).toMatchObject([
      { name: 'x.y', kind: 'string' },
      { name: 'author.id', kind: 'integer' },
    ])
  })

  it('say in which of them a list lies in a list', async () => {
    const documents = [{ _id: new Int32(1), a: [[1]], b: { c: [{ d: [[1]] }] }, e: [{ f: [1] }, { f: [2] }] }]
    expect((await described({ documents })).kindOf.nested).toEqual(new Set(['a', 'b']))
  })

  it('of numbers of several widths have a kind that loses nothing', async () => {
    const kindOf = async (...values: readonly unknown[]) =>
      (await described({ documents: values.map((age) => ({ _id: new Int32(1), age })) })).kindOf('age')
    expect(await kindOf(new Int32(1), Long.fromNumber(1))).toBe('integer')
    expect(await kindOf(new Int32(1), new Double(1.5))).toBe('float')
    expect(await kindOf(Long.fromNumber(1), new Double(1.5))).toBe('decimal')
  })

  it('of a validator come first, and close the list where it allows no others', async () => {
    const validator = {
      $jsonSchema: {
        required: ['name'],
        additionalProperties: false,
        properties: { _id: {}, name: { bsonType: 'string', maxLength: new Int32(20) }, kind: { enum: ['a', 'b'] } },
      },
    }
    const { catalogue, closed } = await described({ info: { options: { validator } } })
    expect(closed).toBe(true)
    expect(catalogue.columns).toEqual([
      { name: '_id', type: 'null, in 0 of 0 documents', nullable: false },
      { name: 'name', type: 'string', kind: 'string', nullable: false, length: 20 },
      { name: 'kind', type: 'null, in 0 of 0 documents', nullable: true, values: ['a', 'b'] },
    ])
  })
})

it('leaves out what is the server’s and its own, and says how a collection compares texts', async () => {
  const info = (name: string, more: Document = {}) => ({ info: { name, ...more }, indexes: [onId], count: 1 })
  const collation = { locale: 'en', strength: 2 }
  const found = await liveCollections(
    databaseOf([info('system.views'), info('habeas_fences'), info('b'), info('a', { options: { collation } })]),
    options,
  )
  expect(found.map(({ catalogue, collation }) => [catalogue.name, collation])).toEqual([
    ['a', collation],
    ['b', undefined],
  ])
})

it('says which collections are large', async () => {
  expect((await described({ count: 10_001 })).catalogue.large).toBe(true)
  expect((await described({ count: 10_000 })).catalogue.large).toBeUndefined()
})

it('names the indexes that find texts as the collection compares them', async () => {
  const collation = { locale: 'en', strength: 2 }
  const indexes = [onId, { name: 'bytes', key: { a: 1 } }, { name: 'folded', key: { b: 1 }, collation }]
  const indexesOf = async (options: Document) =>
    (await described({ info: { name: 'x', options }, indexes })).catalogue.indexes
  expect(await indexesOf({})).toEqual([['_id'], ['a']])
  expect(await indexesOf({ collation })).toEqual([['b']])
})
