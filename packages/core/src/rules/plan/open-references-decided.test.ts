import { describe, expect, it } from 'vitest'
import {
  collection,
  field,
  from,
  key,
  live,
  open,
  planned,
  to,
  undirected,
  wanted,
} from '../../../test/fixtures/planned-shop.js'

type Given = Parameters<typeof planned>[0]
const address = collection('address', [key(), wanted('street')])
const person = collection('person', [key(), field('email', { identity: 'email' })])

describe('rows that are decided otherwise are not counted', () => {
  /** Fields that must be empty, by counted reference. */
  const empties = (collections: Given['collections'], identities?: string[][]) =>
    Object.fromEntries(
      planned({ collections, ...(identities && { identities }) }).open.map(({ name, kind, undecidedWhileEmpty }) => [
        `${name.slice(5)} ${kind}`,
        undecidedWhileEmpty.map((each) => each.name),
      ]),
    )
  const holder = (target: string) =>
    collection('holder', [key(), field('email', { identity: 'email' }), undirected('a', target)])
  const mail = field('mail', { identity: 'email' })

  it.each<[string, Given['collections'], Record<string, string[]>]>([
    [
      'not by another reference of the row: it may have another owner and still name the person',
      [person, collection('note', [from('a', 'person.id'), undirected('b', 'person.id'), wanted('text')])],
      { 'note.b reference': [], 'note.b look-up': ['email'] },
    ],
    [
      'by a described owner, where its first field holds a value',
      [
        person,
        collection('note', [undirected('a', 'person.id'), undirected('b', 'person.id'), mail, wanted('text')], {
          owner: ['a', 'mail'],
        }),
      ],
      { 'note.b reference': ['a', 'mail'], 'note.b look-up': ['email'] },
    ],
    [
      'but not by an identity that the request lacks, nor by the fields after it',
      [
        person,
        collection(
          'note',
          [
            undirected('a', 'person.id'),
            undirected('b', 'person.id'),
            field('no', { identity: 'loyalty' }),
            wanted('text'),
          ],
          { owner: ['no', 'a'] },
        ),
      ],
      { 'note.b reference': [], 'note.b look-up': ['email'] },
    ],
    [
      'a look-up, by its own owner and by the identities of the request',
      [holder('profile.id'), collection('profile', [key(), mail, from('p', 'person.id'), wanted('x')]), person],
      { 'holder.a look-up': ['p', 'mail'] },
    ],
    [
      'but not by an identity that the request lacks, nor by an owner with a condition',
      [
        holder('profile.id'),
        collection('profile', [
          key(),
          field('no', { identity: 'loyalty' }),
          from('p', 'person.id', { when: { kind: 'x' } }),
          field('kind'),
          wanted('x'),
        ]),
        person,
      ],
      { 'holder.a look-up': [] },
    ],
    [
      'a look-up with a described owner, only by that',
      [
        holder('profile.id'),
        collection('profile', [key(), mail, undirected('p', 'person.id'), wanted('x')], { owner: ['p'] }),
        person,
      ],
      { 'holder.a look-up': ['p'] },
    ],
  ])('%s', (_, collections, expected) => {
    expect(empties(collections)).toEqual(expected)
  })

  it.each<[string, object[], string[]]>([
    [
      'is counted where its inferred owner holds no people',
      [key(), undirected('owner', 'orders.id')],
      ['holder.a look-up of address'],
    ],
    ['is not counted where that holds people', [key(), undirected('owner', 'person.id')], []],
    [
      'is counted where that holds an identity, and its owner decides first',
      [key(), undirected('owner', 'visit.id')],
      ['holder.a look-up of address'],
    ],
    [
      'is not counted where its own key says whose part it is',
      [
        field('id', { primary_key: true, references: [{ dataset: 'shop', field: 'orders.id' }] }),
        field('owner', { reviewed: true }),
      ],
      [],
    ],
  ])('a look-up %s', (_, fields, expected) => {
    const made = live('address', ['id', 'owner', 'street'], { primaryKey: ['id'] })
    const filled = { ...made, columns: made.columns.map((each) => ({ ...each, nullable: false })) }
    const others = ['orders', 'visit', 'person', 'holder'].map((name) => live(name, ['id'], { primaryKey: ['id'] }))
    const plan = planned({
      collections: [
        ...[person, holder('address.id'), collection('orders', [key(), from('p', 'person.id')])],
        collection('visit', [key(), from('p', 'person.id'), mail], { owner: ['p', 'mail'] }),
        collection('address', [...fields, wanted('street')]),
      ],
      catalogue: { collections: [filled, ...others] },
    })
    expect(open(plan)).toEqual(expected)
  })

  it('are those of an owner over several columns, by the only column that may be empty, and by none where several may', () => {
    const member = collection('member', [
      ...[field('tenant', { primary_key: true }), key('no')],
      field('email', { identity: 'email' }),
    ])
    const group = { group: 'g' }
    const note = collection(
      'note',
      [
        ...[undirected('t', 'member.tenant', group), undirected('n', 'member.no', group)],
        ...[undirected('b', 'person.id'), wanted('x')],
      ],
      { owner: ['n'] },
    )
    const all = [member, person, note]
    const tables = (...nullable: string[]) => {
      const made = live('note', ['t', 'n', 'b', 'x'])
      const columns = made.columns.map((each) => ({
        ...each,
        kind: 'integer' as const,
        nullable: nullable.includes(each.name),
      }))
      return {
        collections: [live('member', ['tenant', 'no', 'email']), live('person', ['id', 'email']), { ...made, columns }],
      }
    }
    const emptyIn = (...nullable: string[]) =>
      planned({ collections: all, catalogue: tables(...nullable) })
        .open.filter(({ name }) => name === 'shop:note.b')
        .map(({ undecidedWhileEmpty }) => undecidedWhileEmpty.map((each) => each.name))
    expect(emptyIn('n')).toEqual([['n']])
    expect(emptyIn('t', 'n')).toEqual([[]])
    // A row that always holds both columns is always decided.
    expect(emptyIn()).toEqual([])
    expect(empties(all)['note.b reference']).toEqual([])
  })

  it('another reference leaves a part open, which is counted besides the found rows', () => {
    const both = [holder('address.id'), collection('other', [key(), mail, to('b', 'address.id')]), address]
    const plan = planned({ collections: both })
    expect(open(plan)).toEqual(['holder.a look-up of address'])
    expect(plan.collections.map(({ collection: name }) => name)).toEqual(['holder', 'other', 'address'])
    expect(empties(both)).toEqual({ 'holder.a look-up': [] })
  })
})
