import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const ann = 'ann@example.com'

interface Erased {
  readonly setUp: string
  readonly collections: readonly object[]
}

/** Hands over Ann's data and erases it, and gives what the table `thing` then holds. */
async function erasedThings({ setUp, collections }: Erased) {
  const database = await openDatabase(server.url, setUp)
  try {
    await using shop = await erasedShop({ database, collections })
    const found = await shop.access({ email: ann })
    const delivered = found.status === 'complete' ? (await shop.delivered(found.id))['shop:thing'] : found.failure
    const request = await shop.erase({ email: ann })
    const { rows } = await database.client.query('select doc::text from thing order by place')
    const { status, failure } = request
    return { status, failure, delivered, counts: countsOf(request)['thing'], docs: rows.map(({ doc }) => doc) }
  } finally {
    await database.close()
  }
}

const thing = (...fields: object[]) => ({ name: 'thing', fields: [key, plain('place'), ...fields] })
const docOf = (...fields: object[]) => ({ ...plain('doc', { data_type: 'object' }), fields })
const identity = plain('email', { identity: 'email' })
const table = 'create table thing (id int primary key, place int, email text, doc json);'

/** What `json` holds and `jsonb` refuses. */
const odd = [
  ['U+0000', String.raw`"a\u0000b"`, '"a\\u0000b"'],
  ['half a surrogate', String.raw`"cut \ud83d"`, '"cut \\ud83d"'],
  [
    'the other half, and whole pairs',
    String.raw`"\ud83d\ude00 \ude00 \\ud83d \\\ud83d"`,
    '"😀 \\ude00 \\\\ud83d \\\\\\ud83d"',
  ],
  ['a number that is too large', '1e200000', '"1e200000"'],
  ['too many digits', `0.${'3'.repeat(17_000)}`, `"0.${'3'.repeat(17_000)}"`],
] as const

describe.each(odd)('a document of json that jsonb could not hold: %s', (_, written, read) => {
  it('of somebody else is in nobody’s way', async () => {
    const bobs = `{"email": "bob@example.com", "customer_id": 2, "n": ${written}}`
    const setUp = `${table} create table person (id int primary key, email text);
      insert into person values (1, '${ann}'), (2, 'bob@example.com');
      insert into thing values (1, 1, null, '{"email": "${ann}", "customer_id": 1, "n": "Ann"}'), (2, 2, null, '${bobs}');`
    const byMember = [thing(docOf(erased('email', { identity: 'email' }), erased('n')))]
    const byReference = [
      { name: 'person', fields: [key, identity] },
      thing(docOf(refer('customer_id', 'person.id', 'from'), erased('n'))),
    ]
    for (const collections of [byMember, byReference]) {
      const left = await erasedThings({ setUp, collections })
      expect(left).toMatchObject({ status: 'complete', failure: undefined, counts: { masked: 1 } })
      expect(left.docs[0]).toMatch(/"n": null/)
      expect(left.docs[1]).toBe(bobs)
    }
  })

  it('is erased whole, with and without a key', async () => {
    const insert = `insert into thing values (1, 1, '${ann}', '{"n": ${written}}'), (2, 2, 'bob@example.com', '{"n": ${written}}');`
    const whole = await erasedThings({ setUp: table + insert, collections: [thing(identity, erased('doc'))] })
    expect(whole).toMatchObject({ status: 'complete', failure: undefined, counts: { masked: 1 } })
    expect(whole.docs).toEqual([null, `{"n": ${written}}`])
    expect(JSON.stringify(whole.delivered)).toBe(`[{"doc":{"n":${read}}}]`)
  })

  it('is written anew where a member of it is erased, if what stays can be written', async () => {
    const insert = `insert into thing values (1, 1, '${ann}', '{"n": ${written}, "kept": 1.5}');`
    const left = await erasedThings({
      setUp: table + insert,
      collections: [thing(identity, docOf(erased('n'), plain('kept')))],
    })
    expect(left).toMatchObject({ status: 'complete', failure: undefined, counts: { masked: 1 } })
    expect(left.docs.map((doc) => JSON.parse(doc))).toEqual([{ n: null, kept: 1.5 }])

    const stays = `{"n": "Ann", "kept": ${written}}`
    const refused = await erasedThings({
      setUp: `${table} insert into thing values (1, 1, '${ann}', '${stays}');`,
      collections: [thing(identity, docOf(erased('n'), plain('kept')))],
    })
    expect(refused).toMatchObject({ status: 'error', failure: expect.stringContaining('its column "doc"') })
    expect(refused.docs).toEqual([stays])
  })
})

it('a row without a key is told apart by a document that jsonb could not hold', async () => {
  const written = String.raw`{"n": "cut \ud83d", "m": "\u0000"}`
  const left = await erasedThings({
    setUp: `create table thing (place int, email text, doc json);
      insert into thing values (1, '${ann}', '${written}'), (2, 'bob@example.com', '${written}');`,
    collections: [{ name: 'thing', fields: [plain('place'), identity, erased('doc')] }],
  })
  expect(left).toMatchObject({ status: 'complete', failure: undefined, docs: [null, written] })
})

it('a list of such documents is erased', async () => {
  const left = await erasedThings({
    setUp: `create table thing (id int primary key, place int, email text, doc json[]);
      insert into thing values (1, 1, '${ann}', array['{"n": "\\u0000"}', '1e200000']::json[]);`,
    collections: [thing(identity, erased('doc'))],
  })
  expect(left).toMatchObject({ status: 'complete', failure: undefined, docs: ['{NULL,NULL}'] })
})

describe('members that are repeated in a document of json', () => {
  const members = [thing(identity, docOf(erased('n'), plain('keep')))]
  const whole = [thing(identity, erased('doc'))]
  it.each([
    ['{"n":"Ann","keep":1,"n":null}', members, { n: 'Ann' }, { n: null, keep: 1 }],
    ['{"n":"Ann","keep":1,"n":""}', members, { n: 'Ann' }, { n: null, keep: 1 }],
    ['{"n":"Ann","keep":1,"n":"Ann Lee"}', members, { n: ['Ann', 'Ann Lee'] }, { n: [null, null], keep: 1 }],
    ['{"keep":1,"n":{"a":"Ann"},"n":null}', members, { n: { a: 'Ann' } }, { n: null, keep: 1 }],
    ['{"n":"Ann","\\u006e":null}', whole, { n: 'Ann' }, null],
  ])('%s are handed over and erased', async (doc, collections, delivered, expected) => {
    const setUp = `${table} insert into thing values (1, 1, '${ann}', '${doc}');`
    const left = await erasedThings({ setUp, collections })
    expect(left).toMatchObject({ status: 'complete', failure: undefined, counts: { masked: 1 } })
    expect(left.delivered).toEqual([{ doc: delivered }])
    expect(left.docs[0] ?? '').not.toMatch(/Ann/)
    expect(JSON.parse(left.docs[0] ?? 'null')).toEqual(expected)
  })

  it('are erased from a list of documents', async () => {
    const setUp = `create table thing (id int primary key, place int, email text, doc json[]);
      insert into thing values (1, 1, '${ann}', array['{"n": "Ann", "n": null}']::json[]);`
    const left = await erasedThings({ setUp, collections: whole })
    expect(left).toMatchObject({ status: 'complete', failure: undefined, docs: ['{NULL}'] })
  })
})
