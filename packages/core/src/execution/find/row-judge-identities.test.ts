import { describe } from 'vitest'
import { email, type Judging, known, loyalty, mail, person, says } from '../../../test/fixtures/judged-rows.js'
import { collection, field, from, key, live, undirected, wanted } from '../../../test/fixtures/planned-shop.js'
import type { Value } from '../../model/value.js'

const second = (name: string) =>
  `${name} holds a second value, the person's or somebody else's: name it in the request where it is theirs, or say in 'owner' which field decides`

describe('identities of a row', () => {
  const phone = field('phone', { identity: 'phone' })
  const account = (...more: unknown[]) => collection('account', [key(), email, mail, phone, wanted('text'), ...more])
  const identities = [{ email: 'ann@x', phone: '555' }]
  describe('that are all the subject’s make the row own', () => {
    const given = {
      of: 'account',
      identities,
      collections: [person, account(loyalty, from('owner_id', 'person.id'))],
      found: { owner_id: known },
    }
    says(given, [
      ['with all properties of one object', { email: 'ann@x', phone: '555' }, 'own'],
      ['with one property that finds rows alone', { email: 'ann@x' }, 'own'],
      ['with an address in another case', { email: 'ANN@X', phone: '555' }, 'own'],
      ['with the subject as owner', { email: 'ann@x', owner_id: 1 }, 'own'],
      ['with another identity that is unknown', { email: 'ann@x', loyalty: 'L1' }, 'own'],
      [
        'but shared if a second field names another person',
        { email: 'ann@x', mail: 'bob@x' },
        `shared by account.mail: ${second('mail')}`,
      ],
      [
        'but shared if the owner is another person',
        { email: 'ann@x', owner_id: 3 },
        'shared: belongs to another person by owner_id',
      ],
    ])
    says({ ...given, doubted: ['email'] }, [
      [
        'but undecided if the property does not find rows alone',
        { email: 'ann@x', owner_id: 3 },
        "undecided by account.email: email alone does not say that it is the person's",
      ],
      ['also if a second property matches', { email: 'ann@x', phone: '555' }, 'own'],
    ])
  })
  describe('that are several of the request make the row own', () => {
    const other = { of: 'account', collections: [account()], identities: [{ email: 'ann@x' }, { email: 'ann2@x' }] }
    says(other, [
      ['whichever field holds which', { email: 'ann2@x', mail: 'ann@x' }, 'own'],
      ['but shared beside a third one', { email: 'ann@x', mail: 'bob@x' }, `shared by account.mail: ${second('mail')}`],
    ])
    says({ ...other, doubted: ['email'] }, [
      [
        'but not if the property does not find rows alone',
        { email: 'ann@x', mail: 'ann2@x' },
        "undecided by account.email: email alone does not say that it is the person's",
      ],
    ])
    const phones = [{ email: 'ann@x', phone: '555' }, { phone: '777' }]
    const phone2 = field('phone2', { identity: 'phone' })
    says({ ...other, collections: [account(phone2)], identities: phones, doubted: ['phone'] }, [
      [
        'but shared if the other identity does not find rows alone',
        { email: 'ann@x', phone: '555', phone2: '777' },
        `shared by account.phone2: ${second('phone2')}`,
      ],
    ])
    says(
      {
        of: 'account',
        collections: [collection('account', [key(), email, mail, wanted('text')], { owner: ['email'] })],
      },
      [
        ['and so does the field that the owner names', { email: 'ann@x', mail: 'bob@x' }, 'own'],
        ['so that the other says nothing', { email: 'bob@x', mail: 'ann@x' }, 'others'],
      ],
    )
  })
  describe('that are the subject’s in part leave the row undecided', () => {
    says(
      { of: 'account', identities, collections: [account(from('owner_id', 'account.id'))], found: { owner_id: known } },
      [
        [
          'with a recycled number',
          { email: 'bob@x', phone: '555' },
          'undecided by account.phone: belongs to the person by phone, or to somebody else by email',
        ],
        [
          'with a changed number',
          { email: 'ann@x', phone: '777' },
          'undecided by account.email: belongs to the person by email, or to somebody else by phone',
        ],
        [
          'even with the subject as owner',
          { email: 'ann@x', phone: '777', owner_id: 1 },
          'undecided by account.email: belongs to the person by email, or to somebody else by phone',
        ],
      ],
    )
    says(
      { of: 'account', collections: [account()], identities: [{ email: 'ann@x', phone: '555' }, { phone: '777' }] },
      [['unless all of them belong to another object', { email: 'bob@x', phone: '777' }, 'own']],
    )
  })
  describe('that do not match the request', () => {
    const given: Judging = {
      of: 'account',
      collections: [person, account(from('owner_id', 'person.id'), undirected('boss_id', 'person.id'))],
      found: { owner_id: known, boss_id: known },
    }
    says(given, [
      ['make the row another person’s', { email: 'bob@x' }, 'others'],
      ['also if the owner is another person', { email: 'bob@x', owner_id: 3 }, 'others'],
      [
        'but undecided if the owner is the subject',
        { email: 'bob@x', owner_id: 1 },
        'undecided by account.owner_id: belongs to the person by owner_id, or to somebody else by email',
      ],
      [
        'but undecided if the owner is a shared row',
        { email: 'bob@x', owner_id: 2 },
        'undecided by account.owner_id: belongs to the person by owner_id, or to somebody else by email',
      ],
      [
        'but undecided if an open reference leads to the subject',
        { email: 'bob@x', owner_id: 3, boss_id: 1 },
        'undecided by account.boss_id: belongs to the person by boss_id, or to somebody else by email',
      ],
    ])
  })
  describe('together with an open reference to another person', () => {
    const collections = [person, account(undirected('boss_id', 'person.id'))]
    const given = { of: 'account', collections, found: { boss_id: known } }
    const table = live('account', ['id', 'email', 'mail', 'phone', 'text', 'boss_id'], { uniqueKeys: [['email']] })
    const columns = table.columns.map(({ kind: _, ...column }) => column)
    const unique = { collections: [{ ...table, columns }] }
    const open = 'undecided by account.email: belongs to the person by email, or to somebody else by boss_id'
    says(given, [
      ['leave the row undecided', { email: 'ann@x', boss_id: 3 }, open],
      ['make it own if the reference leads to the subject', { email: 'ann@x', boss_id: 1 }, 'own'],
    ])
    says({ ...given, catalogue: unique }, [
      ['make it own if the identity is a unique key', { email: 'ann@x', boss_id: 3 }, 'own'],
      [
        'leave it undecided if another matching field is not unique',
        { mail: 'ann@x', boss_id: 3 },
        open.replaceAll('email', 'mail'),
      ],
    ])
  })
  describe('that the request lacks', () => {
    const profile = collection('profile', [key(), loyalty, from('owner_id', 'person.id'), wanted('text')])
    const collections = [collection('person', [key(), email, loyalty]), profile]
    const given = { of: 'profile', collections, found: { owner_id: known } }
    says(given, [
      ['decide nothing while their value is unknown: own', { loyalty: 'L1', owner_id: 1 }, 'own'],
      ['decide nothing while their value is unknown: another person’s', { loyalty: 'L1', owner_id: 3 }, 'others'],
    ])
    says({ ...given, learned: { loyalty: ['L1'] } }, [
      ['match once other rows have shown their value', { loyalty: 'L1', owner_id: 1 }, 'own'],
      [
        'match, but the row is shared with another owner',
        { loyalty: 'L1', owner_id: 3 },
        'shared: belongs to another person by owner_id',
      ],
      [
        'differ, so a row that leads to the subject is undecided',
        { loyalty: 'L2', owner_id: 1 },
        'undecided by profile.owner_id: belongs to the person by owner_id, or to somebody else by loyalty',
      ],
      ['differ, so any other row is another person’s', { loyalty: 'L2', owner_id: 3 }, 'others'],
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
      ['match if one element matches', of({ email: 'bob@x', phone: '777' }, { email: 'ann@x', phone: '555' }), 'own'],
      [
        'do not match if two elements match in part',
        of({ email: 'ann@x', phone: '777' }, { email: 'bob@x', phone: '555' }),
        'undecided by log.people.email: no element of its lists holds people.email and people.phone together',
      ],
      ['are another person’s if no element matches', of({ email: 'bob@x' }), 'others'],
    ])
  })
})
