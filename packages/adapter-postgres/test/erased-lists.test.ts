import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const ann = 'ann@example.com'

const server = sharedServer()

interface ListsOptions {
  readonly strategy?: string
  readonly type?: string
  /** Another field of every row is written as well, so that no row is passed over. */
  readonly withNote?: boolean
  readonly meanwhile?: string
}

/** Erases Ann's things, whose tags are these, and gives as text what the tags have become. */
async function erasedTags(tags: readonly string[], options: ListsOptions = {}) {
  const { strategy, type = 'text[]', withNote = true, meanwhile } = options
  const rows = tags.map((each, at) => `(${at}, '${ann}', 'secret', ${each})`)
  const table = `create table thing (id int primary key, email text, note text, tags ${type})`
  const database = await openDatabase(
    server.url,
    `create domain labels as text[]; ${table}; insert into thing values ${rows.join(', ')};`,
  )
  try {
    const configuration = strategy === 'string_rewrite' ? { rewrite_value: 'gone' } : {}
    const meta = strategy === undefined ? {} : { masking_strategy: { strategy, configuration } }
    const fields = [
      plain('id', { primary_key: true }),
      plain('email', { identity: 'email' }),
      withNote ? erased('note') : plain('note'),
      erased('tags', meta),
    ]
    let done = false
    await using shop = await erasedShop({
      ...{ database, collections: [{ name: 'thing', fields }] },
      async meanwhile({ when }) {
        if (meanwhile === undefined || when === 'after' || done) return
        done = true
        await database.client.query(meanwhile)
      },
    })
    const request = await shop.erase({ email: ann })
    const { rows: left } = await database.client.query('select note, tags::text as tags from thing order by id')
    const { status, failure } = request
    return {
      ...{ status, failure, counts: countsOf(request)['thing'] },
      tags: left.map((row) => row.tags),
      notes: new Set(left.map((row) => row.note)),
    }
  } finally {
    await database.close()
  }
}

const tags = ['null', `'{}'`, `'{a,b}'`, `'{a,null,b}'`, `'{null}'`, `'{{a,b},{c,d}}'`]
const texts = ['string_rewrite', 'random_string_rewrite', 'hash', 'hmac', 'aes_encrypt'] as const

/** Elements that were replaced as `x`. */
function maskedShape(text: string | null): string | null {
  return text?.replaceAll(/"[^"]*"|[^{},]+/g, (each) => (/^([abcd]|NULL)$/.test(each) ? each : 'x')) ?? null
}

describe('a list is masked element by element: NULL stays NULL, and an empty list empty', () => {
  it.each(texts.flatMap((strategy) => ['text[]', 'varchar(90)[]', 'labels'].map((type) => [strategy, type] as const)))(
    '%s in %s',
    async (strategy, type) => {
      const written = await erasedTags(tags, { strategy, type })
      expect(written).toMatchObject({ status: 'complete', failure: undefined, counts: { masked: 6 } })
      expect(written.notes).toEqual(new Set([null]))
      const alone = await erasedTags(tags, { strategy, type, withNote: false })
      expect(alone).toMatchObject({ status: 'complete', counts: { masked: 3, unchanged: 3 } })
      for (const { tags: left } of [written, alone]) {
        expect(left.map(maskedShape)).toEqual([null, '{}', '{x,x}', '{x,NULL,x}', '{NULL}', '{{x,x},{x,x}}'])
      }
    },
  )

  it.each([
    ['text[]', tags, [null, '{}', '{NULL,NULL}', '{NULL,NULL,NULL}', '{NULL}', '{{NULL,NULL},{NULL,NULL}}']],
    ['int[]', ['null', `'{}'`, `'{1,null}'`], [null, '{}', '{NULL,NULL}']],
    ['jsonb[]', ['null', `'{}'`, `array['[]','{}','["a"]']::jsonb[]`], [null, '{}', '{[],NULL,[null]}']],
    ['jsonb', ['null', `'[]'`, `'{}'`, `'[[], "a"]'`], [null, '[]', null, '[[], null]']],
  ])('null_rewrite in %s', async (type, given, expected) => {
    const left = await erasedTags(given, { type })
    expect(left).toMatchObject({ status: 'complete', counts: { masked: given.length }, tags: expected })
  })

  it.each([
    ['float8[]', [`'{1.5,-0}'`, `'{-0,-0.5}'`, `'{NaN,-Infinity}'`], ['{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}']],
    ['float4[]', [`'{{-0},{0.1}}'`], ['{{NULL},{NULL}}']],
    ['int[]', [`'[2:3]={1,2}'`, `'[0:0][-1:0]={{1,2}}'`], ['{NULL,NULL}', '{{NULL,NULL}}']],
    ['text[]', [`'[0:1]={a,"[1:1]={x}"}'`, `array['[1:1]={x}']`], ['{NULL,NULL}', '{NULL}']],
    ['money[]', [`'{1.5,null}'`], ['{NULL,NULL}']],
    ['jsonb[]', [`array['9007199254740993','{"a": 1e400}']::jsonb[]`], ['{NULL,NULL}']],
  ])('null_rewrite in %s, whatever the text of the list', async (type, given, expected) => {
    const left = await erasedTags(given, { type })
    expect(left).toMatchObject({ status: 'complete', failure: undefined, tags: expected })
  })

  it.each([
    ['float8', `'-0'`],
    ['float4', `'-0'`],
    ['float8[]', `'{1.5,-0}'`],
    ['text[]', `'[0:1]={a,b}'`],
    ['money[]', `'{1.5}'`],
  ])('null_rewrite in %s of a table without a key', async (type, value) => {
    const table = `create table thing (email text, note ${type}); insert into thing values ('${ann}', ${value}), (null, ${value});`
    const database = await openDatabase(server.url, table)
    try {
      const fields = [plain('email', { identity: 'email' }), erased('note')]
      await using shop = await erasedShop({ database, collections: [{ name: 'thing', fields }] })
      const { status, failure } = await shop.erase({ email: ann })
      expect([status, failure]).toEqual(['complete', undefined])
    } finally {
      await database.close()
    }
  })

  it('one row has a list, and many rows have none', async () => {
    const given = [...Array.from({ length: 20 }, () => 'null'), `'{a}'`, `'{}'`]
    const left = await erasedTags(given, { strategy: 'string_rewrite' })
    expect(left).toMatchObject({ status: 'complete', counts: { masked: 22 } })
    expect(left.tags).toEqual([...Array.from({ length: 20 }, () => null), '{gone}', '{}'])
  })

  it('an element that comes into a list that was NULL is noticed', async () => {
    const meanwhile = `update thing set tags = '{late}' where id = 0`
    const left = await erasedTags(['null', `'{a}'`], { strategy: 'string_rewrite', meanwhile })
    expect(left).toMatchObject({ status: 'error', failure: expect.stringContaining('1 row of') })
    expect(left.tags).toEqual(['{late}', '{gone}'])
  })
})

describe('an identity in a column of documents', () => {
  const guests = (fields: readonly object[] = []) => ({
    name: 'party',
    fields: [
      plain('id', { primary_key: true }),
      erased('title'),
      { ...plain('guests', fields.length > 0 ? { data_type: 'object[]' } : { identity: 'email' }), fields },
    ],
  })
  const invited = async (collection: object, list: string) => {
    const database = await openDatabase(
      server.url,
      `create table party (id int primary key, title text, guests jsonb);
       create table person (id int primary key, email text, name text);
       insert into party values (1, 'secret', '${list}');
       insert into person values (1, '${ann}', 'Ann')`,
    )
    const person = {
      name: 'person',
      fields: [plain('id', { primary_key: true }), plain('email', { identity: 'email' }), erased('name')],
    }
    try {
      await using shop = await erasedShop({ database, collections: [collection, person] })
      const { status, failure } = await shop.erase({ email: ann })
      const { rows } = await database.client.query('select title, name from party, person')
      return { status, failure, row: rows[0] }
    } finally {
      await database.close()
    }
  }

  it('stops the erasure where it is a text, and the failure says what to do', async () => {
    const { status, failure, row } = await invited(guests(), JSON.stringify([ann]))
    expect([status, row]).toEqual(['error', { title: 'secret', name: 'Ann' }])
    expect(failure).toMatch(/'shop:party\.guests' is described with the identity 'email'.*Describe the member/)
  })

  it('is found by a member that is described', async () => {
    const { status, row } = await invited(guests([plain('email', { identity: 'email' })]), `[{"email": "${ann}"}]`)
    expect([status, row]).toEqual(['complete', { title: null, name: null }])
  })
})
