import { describe } from 'vitest'
import { email, type Judging, known, loyalty, mail, person, says } from '../../../test/fixtures/judged-rows.js'
import { collection, field, from, key, live, undirected, wanted } from '../../../test/fixtures/planned-shop.js'
import type { Value } from '../../model/value.js'

describe('identities of a row', () => {
  const phone = field('phone', { identity: 'phone' })
  const account = (...more: unknown[]) => collection('account', [key(), email, mail, phone, wanted('text'), ...more])
  const identities = [{ email: 'ann@x', phone: '555' }]
  describe('that are all the person’s make it own', () => {
    const given = {
      of: 'account',
      identities,
      collections: [person, account(loyalty, from('owner_id', 'person.id'))],
      found: { owner_id: known },
    }
    says(given, [
      ['all of one object', { email: 'ann@x', phone: '555' }, 'own'],
      ['those it holds, where they find rows by themselves', { email: 'ann@x' }, 'own'],
      ['whatever the case of an address', { email: 'ANN@X', phone: '555' }, 'own'],
      ['with an owner who is the person', { email: 'ann@x', owner_id: 1 }, 'own'],
      ['beside one of whom nobody knows who it is', { email: 'ann@x', loyalty: 'L1' }, 'own'],
      [
        'but shared where a second field names another',
        { email: 'ann@x', mail: 'bob@x' },
        'shared: names another person in mail',
      ],
      ['or an owner is another', { email: 'ann@x', owner_id: 3 }, 'shared: belongs to another person by owner_id'],
    ])
    says({ ...given, doubted: ['email'] }, [
      [
        'and undecided where one alone tells nothing',
        { email: 'ann@x', owner_id: 3 },
        "undecided by account.email: email alone does not say that it is the person's",
      ],
      ['unless another one is there', { email: 'ann@x', phone: '555' }, 'own'],
    ])
  })
  describe('that are the person’s in part leave it undecided', () => {
    says(
      { of: 'account', identities, collections: [account(from('owner_id', 'account.id'))], found: { owner_id: known } },
      [
        [
          'a recycled number',
          { email: 'bob@x', phone: '555' },
          'undecided by account.phone: to the person by phone, or to somebody else by email',
        ],
        [
          'a changed number',
          { email: 'ann@x', phone: '777' },
          'undecided by account.email: to the person by email, or to somebody else by phone',
        ],
        [
          'even with an owner who is the person',
          { email: 'ann@x', phone: '777', owner_id: 1 },
          'undecided by account.email: to the person by email, or to somebody else by phone',
        ],
      ],
    )
    says(
      { of: 'account', collections: [account()], identities: [{ email: 'ann@x', phone: '555' }, { phone: '777' }] },
      [['unless they are all of another object', { email: 'bob@x', phone: '777' }, 'own']],
    )
  })
  describe('that are nobody’s the request names', () => {
    const given: Judging = {
      of: 'account',
      collections: [person, account(from('owner_id', 'person.id'), undirected('boss_id', 'person.id'))],
      found: { owner_id: known, boss_id: known },
    }
    says(given, [
      ['make it somebody else’s', { email: 'bob@x' }, 'others'],
      ['also with an owner who is another', { email: 'bob@x', owner_id: 3 }, 'others'],
      [
        'undecided where an owner is the person',
        { email: 'bob@x', owner_id: 1 },
        'undecided by account.owner_id: to the person by owner_id, or to somebody else by email',
      ],
      [
        'or may be',
        { email: 'bob@x', owner_id: 2 },
        'undecided by account.owner_id: to the person by owner_id, or to somebody else by email',
      ],
      [
        'or where an open reference is',
        { email: 'bob@x', owner_id: 3, boss_id: 1 },
        'undecided by account.boss_id: to the person by boss_id, or to somebody else by email',
      ],
    ])
  })
  describe('beside an open reference to another person', () => {
    const collections = [person, account(undirected('boss_id', 'person.id'))]
    const given = { of: 'account', collections, found: { boss_id: known } }
    const table = live('account', ['id', 'email', 'mail', 'phone', 'text', 'boss_id'], { uniqueKeys: [['email']] })
    const columns = table.columns.map(({ kind: _, ...column }) => column)
    const unique = { collections: [{ ...table, columns }] }
    const open = 'undecided by account.email: to the person by email, or to somebody else by boss_id'
    says(given, [
      ['leave it undecided', { email: 'ann@x', boss_id: 3 }, open],
      ['own where it leads to the person', { email: 'ann@x', boss_id: 1 }, 'own'],
    ])
    says({ ...given, catalogue: unique }, [
      ['own where the identity is a live unique key', { email: 'ann@x', boss_id: 3 }, 'own'],
      ['but not where another one is not', { mail: 'ann@x', boss_id: 3 }, open.replaceAll('email', 'mail')],
    ])
  })
  describe('that the request lacks', () => {
    const profile = collection('profile', [key(), loyalty, from('owner_id', 'person.id'), wanted('text')])
    const collections = [collection('person', [key(), email, loyalty]), profile]
    const given = { of: 'profile', collections, found: { owner_id: known } }
    says(given, [
      ['say nothing where nobody knows them', { loyalty: 'L1', owner_id: 1 }, 'own'],
      ['and nothing of another either', { loyalty: 'L1', owner_id: 3 }, 'others'],
    ])
    says({ ...given, learned: { loyalty: ['L1'] } }, [
      ['are the person’s where other rows have told them', { loyalty: 'L1', owner_id: 1 }, 'own'],
      ['shared with another owner', { loyalty: 'L1', owner_id: 3 }, 'shared: belongs to another person by owner_id'],
      [
        'another’s otherwise, which leaves undecided what leads to the person',
        { loyalty: 'L2', owner_id: 1 },
        'undecided by profile.owner_id: to the person by owner_id, or to somebody else by loyalty',
      ],
      ['and somebody else’s what does not', { loyalty: 'L2', owner_id: 3 }, 'others'],
    ])
  })
  describe('in a list', () => {
    const inside = (...names: string[]) => ({
      name: 'people',
      fields: [email, phone].filter(({ name }) => names.includes(name)),
    })
    const log = (...names: string[]) => collection('log', [key(), inside(...names), wanted('text')])
    const of = (...people: object[]) => ({ people: people as unknown as Value })
    says({ of: 'log', identities, collections: [log('email', 'phone')] }, [
      ['match when one element does', of({ email: 'bob@x', phone: '777' }, { email: 'ann@x', phone: '555' }), 'own'],
      [
        'but not two of them together',
        of({ email: 'ann@x', phone: '777' }, { email: 'bob@x', phone: '555' }),
        'undecided by log.people.email: no element of its lists holds people.email and people.phone together',
      ],
      ['and are another’s when none does', of({ email: 'bob@x' }), 'others'],
    ])
  })
})
