import { randomBytes } from 'node:crypto'
import { type Connection, createPrivacyService, type KeyGroup, type Row, type Value } from '@habeas/core'
import { type Document, MongoClient } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { serverUrl } from './server-url.js'

const ann = 'ann@example.com'

/** Texts that are operators, paths, variables, programs or JSON elsewhere, and look-alikes of an address. */
const texts = [
  ...['$email', '$$ROOT', '$where', '$gt', '$ne', '', ' ', '.', 'a.b', '__proto__', 'constructor', 'null', '0'],
  ...['{"$gt":""}', '{"$ne":null}', '{"$where":"return true"}', '[{"$match":{}}]', '"', '`', "'; return true; //"],
  ...['.*', '^', 'ann@example.com\n', 'ann@example.com ', '/ann/i', '＄gt', 'ⅼann', 'аnn@example.com'],
  ...['ann@example.com\u200b', 'ann@example\u2024com', 'ann@exаmple.com', 'ANN@EXAMPLE.COM', 'ＡＮＮ@example.com', 'ﬁ'],
]

/** A member `_bsontype` is left to tests without a server: the one that is at hand reads it with a driver of its own. */
const objects: readonly Value[] = [
  { $gt: '' },
  { $ne: null },
  { $where: 'return true' },
  { $regex: '.*' },
  { $expr: true },
  { $literal: ann },
  [{ $gt: '' }],
]

const names = ['$where', '$gt', '$expr', '$or', 'a.b', '$a.$b', '__proto__', 'constructor', 'ü', '＄gt', 'a`b"\'']

describe('what comes from outside is never an operator', () => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  const connector = mongodbConnector()
  let client: MongoClient
  let connection: Connection
  const people = () => client.db(name).collection('people')

  beforeAll(async () => {
    client = new MongoClient(serverUrl())
    connection = await connector.connect(connector.parseSecrets({ url: serverUrl(), database: name }))
  })
  afterAll(async () => {
    await connection?.close()
    await client?.db(name).dropDatabase()
    await client?.close()
  })
  beforeEach(async () => {
    await people().deleteMany({})
  })

  const group = (field: string, ...values: readonly Value[]): KeyGroup => ({
    fields: [{ path: [field] }],
    values: [values],
  })
  const exact = (field: string, ...values: readonly Value[]): KeyGroup => ({ ...group(field, ...values), exact: true })

  async function read(columns: readonly string[], ...anyOf: readonly KeyGroup[]): Promise<Row[]> {
    const rows: Row[] = []
    for await (const batch of connection.read({ collection: 'people', columns, anyOf })) rows.push(...batch)
    return rows
  }

  /** Documents as the server has them, `__proto__` and all. */
  const stored = () =>
    people()
      .find({}, { sort: { _id: 1 }, promoteValues: true })
      .toArray() as Promise<Document[]>
  const put = (documents: readonly (readonly (readonly [string, unknown])[])[]) =>
    people().insertMany(documents.map((members) => new Map(members)) as never)

  it('a text meets the text alone, in a read, a count and a key', async () => {
    await put(
      [ann, ...texts].map((text, at) => [
        ['_id', at],
        ['email', text],
      ]),
    )
    for (const [at, text] of [ann, ...texts].entries()) {
      expect([text, await read(['_id'], group('email', text))]).toEqual([text, [[at]]])
      expect([text, await read(['_id'], exact('email', text))]).toEqual([text, [[at]]])
    }
    const counts = texts.map((text) => ({ collection: 'people', anyOf: [group('email', text)] }))
    expect(await connection.count(counts)).toEqual(texts.map(() => 1))
    const each = await connection.countEach?.({ collection: 'people', group: group('email', ...texts) })
    expect(each).toEqual(texts.map(() => 1))
  })

  it('without regard to case a text meets its own letters, and no look-alike', async () => {
    await put(
      [ann, ...texts].map((text, at) => [
        ['_id', at],
        ['email', text],
      ]),
    )
    const field = { path: ['email'], caseInsensitive: true }
    const asked = [ann, '.*', '^', '$gt', "'; RETURN TRUE; //"]
    for (const text of asked) {
      const met = await connection.count([{ collection: 'people', anyOf: [{ fields: [field], values: [[text]] }] }])
      expect([text, met]).toEqual([text, [text === ann ? 2 : 1]])
    }
  })

  it('a document meets nothing, and as a key the same document alone', async () => {
    await put([
      ...objects.map(
        (object, at) =>
          [
            ['_id', at],
            ['email', object],
          ] as const,
      ),
      [
        ['_id', 90],
        ['email', ann],
      ],
      [
        ['_id', 91],
        ['email', null],
      ],
      [['_id', 92]],
    ])
    for (const [at, object] of objects.entries()) {
      const where = JSON.stringify(object)
      expect([where, await read(['_id'], group('email', object))]).toEqual([where, []])
      expect([where, await connection.count([{ collection: 'people', anyOf: [group('email', object)] }])]).toEqual([
        where,
        [0],
      ])
      expect([where, await read(['_id'], exact('email', object))]).toEqual([where, [[at]]])
    }
  })

  it.each(names)('a field called %o is that field', async (field) => {
    await put([
      [
        ['_id', 1],
        [field, ann],
        ['email', 'one'],
        ['n', { [`${field}x`]: 1 }],
      ],
      [
        ['_id', 2],
        [field, 'other'],
        ['email', ann],
      ],
      [
        ['_id', 3],
        ['a', { b: ann }],
        ['$a', { $b: ann }],
      ],
    ])
    expect(await read(['_id', field], group(field, ann))).toEqual([[1, ann]])
    expect(await read(['_id', field], exact(field, ann))).toEqual([[1, ann]])
    const empty = [{ path: [field] }]
    expect(await connection.count([{ collection: 'people', anyOf: [group('email', ann)], empty }])).toEqual([0])
    await connection.erase?.({
      ...{ collection: 'people', key: ['_id'], keys: [[1, 2, 3]], anyOf: [group(field, ann)] },
      set: [{ column: field, to: '$email' }],
    })
    expect(await read(['_id', field], group('_id', 1, 2))).toEqual([
      [1, '$email'],
      [2, 'other'],
    ])
    const left = await read(['a', '$a', 'email'], group('_id', 2, 3))
    expect(left).toEqual([
      [undefined, undefined, ann],
      [{ b: ann }, { $b: ann }, undefined],
    ])
    await connection.erase?.({
      ...{ collection: 'people', key: [field], keys: [['$email']], anyOf: [group(field, '$email')], set: 'delete' },
    })
    expect((await stored()).map((document) => document['_id'])).toEqual([2, 3])
  })

  it('a new value is stored as it is, in a field, in a list and in a document, whatever the field is called', async () => {
    for (const field of ['note', '$note']) {
      for (const to of [...texts, ...objects]) {
        await people().deleteMany({})
        const was: Value = { list: ['x', 'y'], at: 'z', $in: 'v' }
        await put([
          [
            ['_id', 1],
            ['email', ann],
            [field, 'was'],
            ['more', was],
          ],
        ])
        const more = { ...was, list: [to, 'y'], at: to, $in: to } as Value
        await connection.erase?.({
          ...{ collection: 'people', key: ['_id'], keys: [[1]], anyOf: [group('email', ann)] },
          set: [
            { column: field, to },
            { column: 'more', toEach: [more], was: [was] },
          ],
        })
        const where = `${field} ${JSON.stringify(to)}`
        expect([where, await read([field, 'email', 'more'], group('_id', 1))]).toEqual([where, [[to, ann, more]]])
      }
    }
  })

  it('a collection is asked by its name, and no command', async () => {
    for (const collection of ['$cmd', '$where', 'a.$b', '', '__proto__', 'people.$cmd', 'system.users', '../people']) {
      const reading = connection.count([{ collection, anyOf: [group('email', ann)] }])
      await expect(reading).rejects.toMatchObject({ details: { reason: 'missing_collection' } })
    }
  })

  it.each<[string, unknown]>([
    ['database', { $ne: null }],
    ['user', { $gt: '' }],
    ['password', { $gt: '' }],
    ['url', ['mongodb://x']],
    ['$where', 'true'],
    ['database', 'hunter2.b'],
    ['database', 'hunter2 b'],
    ['database', '$hunter2'],
    ['database', 'hunter2/b'],
    ['database', 'hunter2\0b'],
  ])('a secret %s of %o is refused, and not repeated', async (member, value) => {
    const secrets = { url: serverUrl(), database: name, [member]: value }
    const trying = async () => {
      const opened = await connector.connect(connector.parseSecrets(secrets))
      try {
        await opened.ping()
      } finally {
        await opened.close()
      }
    }
    const failure = await trying().then(
      () => undefined,
      (error: Error) => error,
    )
    expect(failure).toMatchObject({ name: 'PrivacyError' })
    expect(`${failure} ${JSON.stringify(failure)}`).not.toContain('hunter2')
  })

  it('neither an identity nor a rewritten value is, in a request', async () => {
    const note = { name: 'note', data_categories: ['user'] }
    const rewritten = (rewrite_value: string) => ({
      ...note,
      service_meta: { masking_strategy: { strategy: 'string_rewrite', configuration: { rewrite_value } } },
    })
    const privacy = createPrivacyService({
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [connector],
    })
    try {
      await privacy.connections.put({ key: 'shop', connectionType: 'mongodb', access: 'write' })
      await privacy.connections.setSecrets('shop', { url: serverUrl(), database: name })
      await privacy.connections.attachDataset('shop', {
        service_key: 'shop',
        collections: [
          {
            name: 'people',
            fields: [
              { name: '_id', service_meta: { primary_key: true } },
              { name: 'email', service_meta: { identity: 'email' } },
              rewritten('$email'),
              { ...rewritten('$$ROOT'), name: '$note' },
            ],
          },
        ],
      } as never)
      const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
      await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
      await put([
        [
          ['_id', 1],
          ['email', '{"$gt":""}@example.com'],
          ['note', 'one'],
          ['$note', 'two'],
        ],
        [
          ['_id', 2],
          ['email', ann],
          ['note', 'three'],
          ['$note', 'four'],
        ],
      ])
      const before = await stored()
      const erase = async (email: string) => {
        const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email }] })
        const { status, failure } = await privacy.requests.settled(id)
        return failure ?? status
      }
      expect(await erase('$email@example.com')).toBe('complete')
      expect(await erase('.*@example.com')).toBe('complete')
      expect(await stored()).toEqual(before)
      expect(await erase(ann)).toBe('complete')
      expect(await stored()).toEqual([before[0], { ...before[1], note: '$email', $note: '$$ROOT' }])
    } finally {
      await privacy.close()
    }
  })
})
