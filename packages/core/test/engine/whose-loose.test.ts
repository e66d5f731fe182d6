import type { MemoryCollection } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { collection, field, filled, id, refer, shopOf, table, undirected } from './described.js'
import { accessTo, email, name } from './whose-access.js'

/* Foreign keys over which the server takes for equal what reads differently: it says what rows point to. */

const ann = { email: 'ann@example.com' }
const people = table({ code: 'string', email: 'string', name: 'string' }, [
  ['Ab', ann.email, 'Ann'],
  ['bc', 'bob@example.com', 'Bob'],
])
const code = field('code', { primary_key: true })

/** The table with a foreign key to people by each of these columns. */
const referencing = (made: MemoryCollection, ...columns: readonly string[]): MemoryCollection => ({
  ...made,
  foreignKeys: columns.map((column) => ({
    name: `${column}_fkey`,
    columns: [column],
    onDelete: 'no action',
    loose: true,
    references: { collection: 'person', columns: ['code'] },
  })),
})

const person = collection('person', [code, email, name])

describe('a row that spells its owner differently', () => {
  const orders = (rows: Parameters<typeof table>[1]) =>
    referencing(table({ id: 'integer', person: 'string', helper: 'string', email: 'string' }, rows), 'person', 'helper')

  it('is hers where it names only her, shared where it names another as well, or his', async () => {
    const fields = [id, refer('person', 'person.code'), refer('helper', 'person.code')]
    const rows = [
      [1, 'AB', ' ab '],
      [2, 'ab', null],
      [3, 'AB', 'BC'],
      [4, 'BC', 'bc'],
      [5, null, 'ab'],
    ]
    const shop = shopOf([person, collection('order', fields)], { person: people, order: orders(rows) })
    const { got, request } = await accessTo([shop], ann)
    expect(got).toEqual({ person: ['Ab'], order: [1, 2, 3, 5] })
    expect(request.results?.find((each) => each.collection === 'order')?.outcomes).toMatchObject([
      { outcome: 'delivered', rowCount: 4 },
    ])
  })

  it('is hers by an identity beside an owner who is her, and undecided beside another owner', async () => {
    const fields = [id, field('email', { identity: 'email' }), undirected('person', 'person.code')]
    const rows = [
      [1, 'AB', null, ann.email],
      [2, 'BC', null, ann.email],
    ]
    const shop = shopOf([person, collection('order', fields)], { person: people, order: orders(rows) })
    const { got, undecided } = await accessTo([shop], ann)
    expect(got).toEqual({ person: ['Ab'], order: [1] })
    expect(undecided).toMatchObject({ 'shop:order.email': 1 })
  })

  it('is somebody else’s where it refers to nothing because the foreign key is not enforced', async () => {
    const fields = [id, field('email', { identity: 'email' }), refer('person', 'person.code')]
    const rows = [
      [1, null, null, ann.email],
      [2, 'zz', null, ann.email],
    ]
    const described = collection('order', fields, { owner: ['person', 'email'] })
    const shop = shopOf([person, described], { person: people, order: orders(rows) })
    const { got, others } = await accessTo([shop], ann)
    expect([got, others]).toEqual([{ person: ['Ab'], order: [1] }, { order: 1 }])
  })

  it('names nobody by a placeholder, however the server spells the key', async () => {
    const unknown = { ...people, rows: [...people.rows, { code: 'n/a', email: null, name: 'Nobody' }] }
    const fields = [
      id,
      refer('person', 'person.code', { meta: { placeholders: ['N/A'] } }),
      refer('helper', 'person.code'),
    ]
    const shop = shopOf([person, collection('order', fields)], { person: unknown, order: orders([[1, 'N/A', 'ab']]) })
    const { got } = await accessTo([shop], ann)
    expect(got).toEqual({ person: ['Ab'], order: [1] })
  })
})

it('is counted for an open reference, unless it is hers by another', async () => {
  const gifts = referencing(
    filled(
      table({ id: 'integer', person: 'string', giver: 'string' }, [
        [1, 'AB', 'ab'],
        [2, null, 'AB'],
        [3, null, ' ab'],
        [4, null, 'bc'],
      ]),
    ),
    'person',
    'giver',
  )
  const fields = [id, refer('person', 'person.code'), undirected('giver', 'person.code')]
  const shop = shopOf([person, collection('gift', fields)], {
    person: people,
    gift: { ...gifts, indexes: [['giver'], ['person']] },
  })
  const { got, undecided } = await accessTo([shop], ann)
  expect(got).toEqual({ person: ['Ab'], gift: [1] })
  expect(undecided).toEqual({ 'shop:gift.giver': 2 })
})

it('is found by several parts together, in whatever order they are described', async () => {
  const owner = {
    ...table(
      { number: 'string', site: 'integer', email: 'string' },
      [
        ['Ab', 1, ann.email],
        ['ab', 2, 'b@x.org'],
      ],
      ['site', 'number'],
    ),
  }
  const visit: MemoryCollection = {
    ...table({ id: 'integer', number: 'string', site: 'integer' }, [
      [1, 'AB', 1],
      [2, 'ab', 2],
      [3, 'aB', 1],
      [4, 'ab', null],
    ]),
    foreignKeys: [
      {
        name: 'owner_fkey',
        columns: ['site', 'number'],
        onDelete: 'cascade',
        loose: true,
        references: { collection: 'owner', columns: ['site', 'number'] },
      },
    ],
  }
  const part = (column: string) => refer(column, `owner.${column}`, { group: 'owner' })
  const shop = shopOf(
    [
      collection('owner', [field('number', { primary_key: true }), field('site', { primary_key: true }), email]),
      collection('visit', [id, part('number'), part('site')]),
    ],
    { owner, visit },
  )
  const { got } = await accessTo([shop], ann)
  expect(got).toEqual({ owner: ['Ab'], visit: [1, 3] })
})
