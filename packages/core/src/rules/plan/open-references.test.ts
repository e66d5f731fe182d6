import { describe, expect, it } from 'vitest'
import {
  collection,
  customer,
  field,
  from,
  key,
  live,
  open,
  planned,
  references,
  to,
  undirected,
  wanted,
} from '../../../test/fixtures/planned-shop.js'

type Given = Parameters<typeof planned>[0]
const address = collection('address', [key(), wanted('street')])
const known = [customer, address]
const person = collection('person', [key(), field('email', { identity: 'email' })])

describe('the open references of a plan', () => {
  it.each<[string, Given['collections'], string[]]>([
    [
      'rows that refer to the person',
      [...known, collection('note', [undirected('c', 'customer.id'), wanted('text')])],
      ['note.c reference of note'],
    ],
    [
      'rows that refer to the person’s rows',
      [
        ...known,
        collection('orders', [key(), from('c', 'customer.id')]),
        collection('line', [undirected('o', 'orders.id'), wanted('x')]),
      ],
      ['line.o reference of line'],
    ],
    [
      'rows that the person refers to, where they have categories',
      [collection('customer', [key(), field('email', { identity: 'email' }), undirected('a', 'address.id')]), address],
      ['customer.a look-up of address'],
    ],
    [
      'both, where people refer to people',
      [
        ...known,
        collection('friend', [
          key(),
          wanted('x'),
          field('mail', { identity: 'email' }),
          undirected('c', 'customer.id'),
        ]),
      ],
      ['friend.c reference of friend', 'friend.c look-up of customer'],
    ],
    [
      'each of several references',
      [person, collection('note', [undirected('a', 'person.id'), undirected('b', 'person.id'), wanted('text')])],
      ['note.a reference of note', 'note.b reference of note'],
    ],
    [
      'rows that refer to others of their collection',
      [person, collection('note', [key(), from('a', 'person.id'), undirected('parent', 'note.id'), wanted('text')])],
      ['note.parent reference of note', 'note.parent look-up of note'],
    ],
    [
      'rows above a target, though they are none themselves',
      [
        person,
        collection('note', [key(), undirected('a', 'person.id')]),
        collection('page', [from('note_id', 'note.id'), wanted('text')]),
      ],
      ['note.a reference of note'],
    ],
    [
      'a reference to rows that other rows belong to, though nothing of these themselves is asked for',
      [
        person,
        collection('place', [key()]),
        collection('note', [key(), from('a', 'person.id'), undirected('b', 'place.id')]),
        collection('flat', [key(), to('place_id', 'place.id'), from('a', 'person.id')]),
        collection('page', [from('place_id', 'place.id'), wanted('text')]),
      ],
      ['note.b look-up of place'],
    ],
    [
      'references below another open one',
      [
        person,
        collection('note', [key(), undirected('a', 'person.id')]),
        collection('page', [undirected('note_id', 'note.id'), wanted('text')]),
      ],
      ['note.a reference of note'],
    ],
    [
      'nothing where the policy asks for nothing',
      [person, collection('note', [key(), undirected('a', 'person.id')])],
      [],
    ],
    [
      'nothing that has a direction',
      [person, collection('note', [references('a', 'person.id', 'none'), wanted('text')])],
      [],
    ],
    [
      'nothing of rows that belong to nobody',
      [person, collection('team', [undirected('a', 'person.id'), wanted('text')], { owner: [] })],
      [],
    ],
    [
      'nothing from a collection that is not searched',
      [
        person,
        collection('device', [key(), field('no', { identity: 'device' })]),
        collection('log', [undirected('d', 'device.id'), wanted('x')]),
      ],
      [],
    ],
    [
      'nothing that cannot be counted',
      [person, collection('note', [undirected('a', 'person.id'), wanted('text')], { skip_processing: true })],
      [],
    ],
  ])('%s', (_, collections, expected) => {
    expect(open(planned({ collections }))).toEqual(expected)
  })

  it('searches collections that lead to counted rows, though the policy asks for nothing there', () => {
    const note = collection('note', [undirected('a', 'person.id'), wanted('text')])
    const plan = planned({ collections: [person, note] })
    expect(plan.collections.map(({ collection: name, columns }) => [name, columns])).toEqual([
      ['person', ['id', 'email']],
    ])
    expect(plan.collections[0]?.open).toMatchObject([{ open: 0, fields: [{ name: 'id' }] }])
    expect(plan.unsearched).toEqual([])
  })

  it('counts under the condition of the reference, on the side that has it', () => {
    const note = collection('note', [
      undirected('a', 'person.id', { when: { kind: 'p' } }),
      field('kind'),
      wanted('text'),
    ])
    const plan = planned({ collections: [person, note] })
    expect(plan.open[0]).toMatchObject({ when: [{ path: ['kind'], equals: 'p' }] })
    expect(plan.collections[0]?.open).toMatchObject([{ when: [] }])
    const holder = collection('holder', [
      ...[key(), field('email', { identity: 'email' }), field('kind')],
      undirected('a', 'address.id', { when: { kind: 'p' } }),
    ])
    const other = planned({ collections: [holder, address] })
    expect(other.open[0]).toMatchObject({ kind: 'look-up', when: [] })
    expect(other.collections[0]?.open).toMatchObject([{ when: [{ path: ['kind'], equals: 'p' }] }])
  })

  it('counts by all parts of a composite reference', () => {
    const member = collection('member', [
      field('tenant', { primary_key: true }),
      key('no'),
      field('email', { identity: 'email' }),
    ])
    const group = { group: 'g' }
    const note = collection('note', [
      undirected('t', 'member.tenant', group),
      undirected('n', 'member.no', group),
      wanted('x'),
    ])
    const plan = planned({ collections: [member, note] })
    expect(plan.open).toMatchObject([{ name: 'shop:note.n, t', fields: [{ name: 'n' }, { name: 't' }] }])
    expect(plan.collections[0]?.open).toMatchObject([{ fields: [{ name: 'no' }, { name: 'tenant' }] }])
  })

  it('knows whether an index serves it', () => {
    const note = collection('note', [undirected('a', 'person.id'), wanted('text')])
    const served = (indexes: string[][]) =>
      planned({
        collections: [person, note],
        catalogue: { collections: [live('person', ['id', 'email']), live('note', ['a', 'text'], { indexes })] },
      }).open[0]?.indexed
    expect(served([['text', 'a']])).toBe(false)
    expect(served([['a', 'text']])).toBe(true)
    // Without the live schema this is unknown, and then the count is tried.
    expect(planned({ collections: [person, note] }).open[0]?.indexed).toBe(true)
  })

  it('says the possible answers', () => {
    const note = collection('note', [undirected('a', 'person.id'), wanted('text')])
    expect(planned({ collections: [person, note] }).open[0]?.answers).toMatch(
      /'shop:note.a'.*'from'.*'none'.*'shop:note' owner: \[a\]/,
    )
    const holder = collection('holder', [key(), field('email', { identity: 'email' }), undirected('a', 'address.id')])
    expect(planned({ collections: [holder, address] }).open[0]?.answers).toMatch(/'shop:holder.a'.*'to'.*'none'/)
  })
})
