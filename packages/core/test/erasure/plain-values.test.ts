import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, shopWorld, tableWith } from './described-erasure.js'
import { ann, bob, both, comments, list, people, request, text, undecidedIn, users } from './element-world.js'

/* Documents are seldom alike: a plain value may stand where members are described. */

const member = (name: string, meta: object = {}) => field(name, { data_type: 'string', ...meta })
const contact = (...members: object[]) =>
  collection('cards', [key, from('owner', 'users.id'), field('contact', { data_type: 'object' }, [], members as never)])
const cards = (...values: unknown[]) => ({
  cards: tableWith(
    { id: 'integer', owner: 'integer', contact: 'object' },
    values.map((value, at) => [at + 1, 1, value as never]),
  ),
})

describe('a plain value in the place of described members', () => {
  test('is delivered and masked like what the members would hold', async () => {
    const values = ['ann@x, 0123', { email: 'ann@x', phone: '0123' }, ['0123', { email: 'ann@x' }], 42]
    const shop = { collections: [contact(member('email'), member('phone'))], database: cards(...values) }
    const { end, got, rows, told } = await request(ann, shop)
    expect([end.status, end.failure, end.incomplete]).toEqual(['complete', undefined, undefined])
    expect(got['shop:cards'].map((each: { contact: unknown }) => each.contact)).toEqual(values)
    expect(rows['cards']?.map((each) => each['contact'])).toEqual([
      null,
      { email: null, phone: null },
      [null, { email: null }],
      null,
    ])
    expect(told['shop:cards']).toEqual('masked 4')
  })

  test('stops an erasure before its first write where a strategy cannot replace it', async () => {
    const strategy = { masking_strategy: { strategy: 'random_string_rewrite' } }
    const { end, rows } = await request(ann, { collections: [contact(member('email', strategy))], database: cards(42) })
    expect(end.status).not.toBe('complete')
    expect(`${end.failure} ${end.actionRequired?.message}`).toContain(
      "'shop:cards.contact.email' holds values that are not text",
    )
    expect(rows['cards']?.[0]?.['contact']).toBe(42)
    expect(rows['users']?.[0]?.['name']).toBe('Ann')
  })

  test('stays while a member of that place is retained, and the outcome says so', async () => {
    const kept = { retain: { reason: 'tax law' } }
    const shop = { collections: [contact(member('email'), member('vat', kept))], database: cards('ann@x, IT123') }
    const { end, rows, told } = await request(ann, shop)
    expect(end.status).toBe('complete')
    expect(rows['cards']?.[0]?.['contact']).toBe('ann@x, IT123')
    expect(told['shop:cards']).toContain('a plain value stays that stands in the place of members of which one is kept')
  })

  test('is undecided where the policy asks for some of the members only', async () => {
    const other = { ...member('login'), data_categories: ['system.operations'] }
    const shop = { collections: [contact(member('email'), other)], database: cards('ann@x, ann1') }
    const { asked, rows } = await request(ann, shop)
    expect(asked?.accept).toEqual({ acceptUndecided: ['shop:cards.contact'] })
    expect(asked?.message).toContain(
      "a plain value stands in the place of its members, and the policy does not ask for 'contact.login'",
    )
    expect(rows['cards']?.[0]?.['contact']).toBe('ann@x, ann1')
  })

  test('is neither delivered nor erased where that is accepted', async () => {
    const other = { ...member('login'), data_categories: ['system.operations'] }
    await using world = await shopWorld({
      capabilities: { nestedFields: true },
      collections: [users, contact(member('email'), other)],
      database: { users: people(), ...cards('ann@x, ann1', { email: 'ann@x', login: 'ann1' }) },
      rules: both,
    } as never)
    const { requests } = world.privacy
    const { id } = await requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
    await world.paused(id)
    await requests.accept(id, { acceptUndecided: true })
    const end = await requests.settled(id)
    let copy = ''
    for await (const part of requests.readPackage(id)) copy += Buffer.from(part).toString()
    expect([end.status, end.incomplete]).toEqual(['complete', true])
    expect(JSON.parse(copy)['shop:cards']).toEqual([{ contact: { email: 'ann@x' } }])
    expect(world.rows()['cards']?.map((each) => each['contact'])).toEqual([
      'ann@x, ann1',
      { email: null, login: 'ann1' },
    ])
  })
})

describe('a plain value among elements that have owners', () => {
  const posts = (...more: object[]) =>
    collection('posts', [key, from('authorId', 'users.id'), text('title'), comments(...more)])
  const rows = (value: unknown, author = 1) => ({
    posts: tableWith({ id: 'integer', authorId: 'integer', title: 'string', comments: 'object' }, [
      [1, author, 'Latin', value as never],
    ]),
  })
  const said = 'a plain value stands in the place of its members'

  test.each<[string, unknown]>([
    ['an element', [{ userId: 1, text: 'of Ann' }, 'of somebody']],
    ['the whole list', 'of somebody'],
  ])('is undecided: %s', async (_, value) => {
    const { asked, rows: left } = await request(ann, { collections: [posts()], database: rows(value) })
    expect(asked?.accept).toEqual({ acceptUndecided: ['shop:posts.comments.userId'] })
    expect(asked?.message).toContain(said)
    expect(left['posts']?.[0]?.['comments']).toEqual(value)
  })

  test('is undecided where it stands in the place of the owner of an element', async () => {
    const by = list('comments', [
      field(
        'by',
        { data_type: 'object' },
        [],
        [
          field(
            'id',
            { data_type: 'integer', references: [{ dataset: 'shop', field: 'users.id', direction: 'from' }] },
            [],
          ),
        ],
      ),
      text('text'),
    ])
    const shop = {
      collections: [collection('posts', [key, from('authorId', 'users.id'), text('title'), by])],
      database: rows([
        { by: { id: 1 }, text: 'of Ann' },
        { by: 2, text: 'of Bob' },
      ]),
    }
    const { asked } = await request(ann, shop)
    expect(asked?.message).toContain(said)
  })

  test('is never delivered to the author of an element beside it', async () => {
    const { got, rows: left } = await request(bob, {
      collections: [posts()],
      database: rows([{ userId: 2, text: 'of Bob' }, 'of somebody']),
    })
    expect(JSON.stringify(got)).not.toContain('of somebody')
    expect(JSON.stringify(left)).toContain('of somebody')
  })

  test('asks for nothing where the list is described as one person’s', async () => {
    const whole = list('comments', [text('text')])
    const {
      end,
      got,
      rows: left,
    } = await request(ann, {
      collections: [collection('posts', [key, from('authorId', 'users.id'), text('title'), whole])],
      database: rows(['of Ann', { text: 'hers too' }]),
    })
    expect([end.status, end.incomplete]).toEqual(['complete', undefined])
    expect(got['shop:posts'][0].comments).toEqual(['of Ann', { text: 'hers too' }])
    expect(left['posts']?.[0]?.['comments']).toEqual([null, { text: null }])
    expect(undecidedIn(end)).toEqual({})
  })
})
