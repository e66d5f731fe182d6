import { memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, eraseShop, foreignKey, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasureWorld } from './erasure-world.js'

const ann = 'ann@example.com'
const email = field('email', { identity: 'email' }, [])
const strategy = (name: string, configuration: object = {}) => ({ masking_strategy: { strategy: name, configuration } })

/** Two collections, so that nothing of the other may be touched either. */
function shop(meta: object, table: Partial<ErasedShop['database'][string]> = {}, column: object = {}): ErasedShop {
  const made = tableWith(
    { id: 'integer', email: 'string', value: 'string' },
    [
      [1, ann, 'a'],
      [2, ann, 'b'],
    ],
    table as never,
  )
  const columns = (made.columns ?? []).map((each) => (each.name === 'value' ? { ...each, ...column } : each))
  return {
    database: {
      thing: { ...made, columns },
      other: tableWith({ id: 'integer', email: 'string', note: 'string' }, [[1, ann, 'note']]),
      code: tableWith({ id: 'string' }, [['a'], ['b']]),
    },
    collections: [
      collection('thing', [key, email, field('value', meta as never)]),
      collection('other', [key, email, field('note')]),
    ],
  }
}

const cases: readonly (readonly [what: string, shop: () => ErasedShop, message: string])[] = [
  [
    'a text strategy where there is no text',
    () => {
      const given = shop(strategy('hash'), {}, { kind: 'integer' })
      for (const row of given.database['thing']?.rows ?? []) row['value'] = 7
      return given
    },
    'cannot hold the text',
  ],
  [
    'a text that an enumeration has not',
    () => shop(strategy('string_rewrite', { rewrite_value: 'c' }), {}, { values: ['a', 'b'], type: 'letter' }),
    "'shop:thing.value' cannot hold the text of 'string_rewrite', since it holds only listed texts: name 'null_rewrite', or",
  ],
  [
    'an enumeration that must not be null, where no strategy is named',
    () => shop({}, {}, { values: ['a', 'b'], type: 'letter', nullable: false }),
    "'shop:thing.value' cannot become NULL, since its column is NOT NULL: name 'string_rewrite' with one of the texts of its type letter",
  ],
  ['NULL into NOT NULL', () => shop(strategy('null_rewrite'), {}, { nullable: false }), 'cannot become NULL'],
  [
    'a constant into a unique column',
    () => shop(strategy('string_rewrite', { rewrite_value: 'x' }), { uniqueKeys: [['value']] }),
    'its column is unique',
  ],
  ['a generated column', () => shop(strategy('hash'), {}, { generated: true }), 'computed by the database'],
  [
    'text into a foreign key',
    () => shop(strategy('hash'), { foreignKeys: [foreignKey('value', 'code')] }),
    "holds only keys of 'code'",
  ],
  [
    'a check that refuses',
    () =>
      shop(strategy('string_rewrite', { rewrite_value: 'x' }), {
        checks: [{ name: 'known', holds: ({ value }) => value !== 'x' }],
      }),
    'refuses the new values because of known',
  ],
  [
    'a member of what is no document',
    () => {
      const given = shop({}, {}, { kind: 'string', type: 'text' })
      const members = { ...field('value', {}, [], [field('a')]) }
      return { ...given, collections: [collection('thing', [key, email, members]), ...given.collections.slice(1)] }
    },
    "'shop:thing.value.a' cannot be read separately, since the type of 'value' is text",
  ],
  ['a connector that only reads', () => ({ ...shop({}), erases: false }), 'only reads'],
  [
    'a connection that may only be read',
    () => ({ ...shop({}), access: 'read' }),
    "may only be read: give it access 'write'",
  ],
]

test.each(cases)('%s stops everything before the first write, and names what would do', async (_, given, message) => {
  const { request, status, rows, before } = await eraseShop(given())
  expect(status).toBe('error')
  expect(request.failure).toContain(message)
  expect(rows).toEqual(before)
  expect(JSON.stringify([request.failure, request.results])).not.toContain(ann)
})

test('a text that an enumeration has is written', async () => {
  const known = strategy('string_rewrite', { rewrite_value: 'b' })
  const { status, rows } = await eraseShop(shop(known, {}, { values: ['a', 'b'], nullable: false }))
  expect([status, rows['thing']]).toEqual(['complete', [1, 2].map((id) => expect.objectContaining({ id, value: 'b' }))])
})

test('a connection that may only be read stops nothing where nothing was found', async () => {
  const { status, erased } = await eraseShop({ ...shop({}), access: 'read' }, { email: 'nobody@example.com' })
  expect({ status, erased }).toEqual({
    status: 'complete',
    erased: { 'shop:thing': 'nothing_found 0', 'shop:other': 'nothing_found 0' },
  })
})

test('an erasure that rests on an inferred identity stops until it is declared', async () => {
  const { request, status, rows, before } = await eraseShop({
    database: { thing: tableWith({ id: 'integer', email: 'string' }, [[1, ann]]) },
    collections: [collection('thing', [key, field('email', {}, ['user.contact.email'])])],
  })
  expect(status).toBe('error')
  expect(request.failure).toContain('Nothing is erased until it is declared')
  expect(rows).toEqual(before)
})

test('a targeted collection that is not searched stops an erasure unless somebody accepts that', async () => {
  const database = { thing: tableWith({ id: 'integer', email: 'string', value: 'string' }, [[1, ann, 'a']]) }
  const away = { service_key: 'away', collections: [collection('far', [key, email, field('note')])] }
  const here = { service_key: 'shop', collections: [collection('thing', [key, email, field('value')])] }
  await using world = await erasureWorld(memoryConnector({ database }), [here, away])
  await world.privacy.connections.patch({ key: 'away', disabled: true } as never)
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  const waiting = await world.paused(id)
  expect(waiting.actionRequired?.message).toBe(
    `Nothing was erased: 'away:far' (disabled) would not be searched. Correct that: enable the connection of 'away:far'. Or leave it this time: accept_unsearched: ["away:far"] (acceptUnsearched in TypeScript). Further questions may follow once rows were read.`,
  )
  expect(waiting.actionRequired?.accept).toEqual({ acceptUnsearched: ['away:far'] })
  expect(database.thing.rows[0]?.['value']).toBe('a')
  await world.privacy.requests.accept(id, { acceptUnsearched: ['away:far'] })
  const accepted = await world.privacy.requests.settled(id)
  expect(accepted.failure).toBeUndefined()
  expect(database.thing.rows[0]?.['value']).toBeNull()
  const far = accepted.results?.find(({ collection, actionType }) => collection === 'far' && actionType === 'erasure')
  expect(far?.outcomes).toEqual([{ outcome: 'skipped', rowCount: 0, reason: 'disabled' }])
})

test('a collection that nothing leads to may be called nobody’s, as the question says, and then nothing waits', async () => {
  const staff = tableWith({ id: 'integer', name: 'string' }, [[7, 'Max']])
  const given = (meta: object = {}): ErasedShop => ({
    database: { ...shop({}).database, staff },
    collections: [...shop({}).collections, collection('staff', [key, field('name')], meta as never)],
  })
  const waiting = await eraseShop(given())
  expect(waiting.status).toBe('paused')
  expect(waiting.request.actionRequired?.message).toMatch(/Correct that: on 'shop:staff' say .* or owner: \[\] where/)
  expect((await eraseShop(given({ owner: [] }))).status).toBe('complete')
})

/** Rows that go, but for those with an invoice; each has a code that no other may have. */
const coded = (rows: ErasedShop['database'][string]['rows'], code: object = {}): ErasedShop => ({
  database: {
    ...shop({}).database,
    thing: {
      ...tableWith({ id: 'integer', email: 'string', code: 'string', invoice: 'string' }, [], {
        uniqueKeys: [['code']],
      }),
      rows,
    },
  },
  collections: [
    collection(
      'thing',
      [
        key,
        email,
        field('code', { ...strategy('string_rewrite', { rewrite_value: 'x' }), ...code }),
        field('invoice', { retain: { reason: 'tax law' } }),
      ],
      { erase: 'delete' },
    ),
    collection('other', [key, email, field('note')]),
  ],
})
const invoiced = (id: number) => ({ id, email: ann, code: `c${id}`, invoice: `i${id}` })

test('one text in a unique column stops the erasure where rows are masked instead of deleted', async () => {
  for (const rows of [[invoiced(1)], [invoiced(1), invoiced(2)]]) {
    const {
      status,
      request,
      rows: after,
      before,
    } = await eraseShop(coded([...rows, { ...invoiced(3), invoice: null }]))
    expect([status, request.failure]).toEqual([
      'error',
      expect.stringContaining("'shop:thing.code' cannot become the same"),
    ])
    expect(after).toEqual(before)
  }
})

test('one text in a unique column stops nothing where all of the rows are deleted', async () => {
  const { status, erased } = await eraseShop(coded([1, 2].map((id) => ({ ...invoiced(id), invoice: null }))))
  expect([status, erased['shop:thing']]).toEqual(['complete', 'erased 2'])
})

test('one text in a unique column is found by a trial on two rows where the time of several is over', async () => {
  const over = { retain: { reason: 'until then', until: '2000-01-01' } }
  const { status, request, rows, before } = await eraseShop(coded([invoiced(1), invoiced(2)], over))
  expect([status, request.failure]).toEqual(['error', expect.stringContaining('The database refuses the new values')])
  expect(rows).toEqual(before)
})

test('a check of what is NULL beside a new value is found by a trial of each mixture', async () => {
  for (const name of ['hash', 'string_rewrite']) {
    const replaced = strategy(name, name === 'hash' ? {} : { rewrite_value: 'x' })
    const rows = [1, 2, 3].map((id) => [id, ann, 'code', 'note'])
    const columns = { id: 'integer', email: 'string', code: 'string', note: 'string' } as const
    const holds = ({ code, note }: { readonly [column: string]: unknown }) => code === 'code' || note !== null
    const collections = [collection('thing', [key, email, field('code', replaced), field('note', replaced)])]
    const checks = [{ name: 'noted', holds }]
    const all = { database: { thing: tableWith(columns, rows, { checks }) }, collections }
    expect((await eraseShop(all)).erased).toEqual({ 'shop:thing': 'masked 3' })

    const database = { thing: tableWith(columns, [...rows, [4, ann, 'code', null]], { checks }) }
    const { status, request, rows: after, before } = await eraseShop({ database, collections })
    expect([status, request.failure]).toEqual(['error', expect.stringContaining('because of noted')])
    expect(after).toEqual(before)
  }
})

/** A column of text that is JSON to whoever reads it. */
const sealed = (meta: object, member: object): ErasedShop => ({
  database: { thing: tableWith({ id: 'integer', email: 'string', value: 'string' }, [[1, ann, '{"a":"x"}']]) },
  collections: [
    collection('thing', [key, field('email', { identity: 'email' }), field('value', {}, [], [member])], meta as never),
  ],
})

test('a member of a column without documents stops a deletion as well, since no row shows whether it has one', async () => {
  const { status, request, rows, before } = await eraseShop(sealed({ erase: 'delete' }, field('a')))
  expect([status, request.failure]).toEqual(['error', expect.stringContaining("describe 'value' itself")])
  expect(rows).toEqual(before)
})

test('a member that has to stay keeps its row where nothing shows whether it is there', async () => {
  const { status, rows } = await eraseShop(sealed({ erase: 'delete' }, field('a', { retain: { reason: 'tax law' } })))
  expect([status, rows['thing']]).toEqual(['complete', [{ id: 1, email: null, value: '{"a":"x"}' }]])
})

test('the first of several columns that must not be null is named, and how many more the preview lists', async () => {
  const given = shop(strategy('null_rewrite'), {}, { nullable: false })
  const other = tableWith({ id: 'integer', email: 'string', note: 'string' }, [[1, ann, 'note']])
  const columns = other.columns?.map((each) => ({ ...each, nullable: false }))
  const notes = collection('other', [key, email, field('note', strategy('null_rewrite'))])
  const { status, request } = await eraseShop({
    database: { ...given.database, other: { ...other, ...(columns && { columns }) } },
    collections: [given.collections[0] as object, notes],
  })
  expect([status, request.failure]).toEqual([
    'error',
    expect.stringMatching(/cannot become NULL.* The preview lists 1 more problem\.$/),
  ])
})

test.each([
  ['is told before any request where requests may write', 'write', 1],
  ['is not told where they may not', 'read', 0],
] as const)('what cannot become NULL %s', async (_, access, count) => {
  const { database, collections } = shop({}, {}, { kind: 'integer', nullable: false })
  await using world = await shopWorld({ database, collections, access })
  const findings = await world.privacy.datasets.findings('shop')
  const told = findings.filter(({ type }) => type === 'erasure_impossible')
  expect(told.map(({ loc, severity }) => [loc, severity])).toEqual(
    Array.from({ length: count }, () => [['shop', 'thing', 'value'], 'warning']),
  )
})

/** A column of documents that takes no NULL. */
function documents(described: object): ErasedShop {
  const given = shop({}, {}, { kind: 'object', type: 'jsonb', nullable: false })
  for (const row of given.database['thing']?.rows ?? []) row['value'] = { no: '+39 1', kept: 1 }
  return {
    ...given,
    collections: [collection('thing', [key, email, described as never]), given.collections[1] as object],
  }
}

test.each([
  ['cannot become NULL, since its column is NOT NULL', {}],
  [
    "cannot hold the text of 'string_rewrite', since its type is jsonb",
    strategy('string_rewrite', { rewrite_value: 'x' }),
  ],
])('a required document %s, and the way out is the one that works: its members', async (why, meta) => {
  const { status, request } = await eraseShop(documents(field('value', meta as never)))
  expect(status).toBe('error')
  expect(request.failure).toContain(
    `'shop:thing.value' ${why}: describe its members under 'fields' and give these the data_categories instead of 'value', so that they are erased one by one, keep it`,
  )
  expect(request.failure).not.toContain('null_rewrite')
})

test('the members of a required document are erased one by one', async () => {
  const { status, rows } = await eraseShop(documents({ ...plain('value'), fields: [field('no')] }))
  expect(status).toBe('complete')
  expect(rows['thing']?.map(({ value }) => value)).toEqual([
    { no: null, kept: 1 },
    { no: null, kept: 1 },
  ])
})

test('where neither a text nor NULL can be written, none of the two is named', async () => {
  const given = shop(strategy('hash'), {}, { kind: 'integer', nullable: false })
  const { request } = await eraseShop(given)
  expect(request.failure).toMatch(/cannot hold the text of 'hash'.*: keep it with .*, or allow NULL in the column\./)
})
