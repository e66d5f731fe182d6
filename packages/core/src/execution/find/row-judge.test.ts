import { describe } from 'vitest'
import { email, known, loyalty, mail, person, says } from '../../../test/fixtures/judged-rows.js'
import { collection, field, from, key, references, undirected, wanted } from '../../../test/fixtures/planned-shop.js'

const note = (owner: string[] | undefined, ...more: unknown[]) =>
  collection('note', [key(), wanted('text'), ...more], owner && { owner })

describe('a reference that names its person', () => {
  const letter = (...more: unknown[]) =>
    collection('letter', [key(), references('user_id', 'user.id', 'both'), wanted('text'), ...more])
  const user = (...more: unknown[]) => collection('user', [key(), wanted('name'), ...more])
  describe('decides before everything else', () => {
    const collections = [user(email), letter(loyalty, mail, from('sender', 'user.id'))]
    says({ of: 'letter', collections, found: { user_id: known, sender: known } }, [
      ['own if it leads to the subject', { user_id: 1 }, 'own'],
      ['own even if the row names other people', { user_id: 1, mail: 'bob@x', sender: 7 }, 'own'],
      ['indirect if it leads to a row that may be shared', { user_id: 2, mail: 'bob@x' }, 'indirect'],
      ['another person’s if it leads to another person', { user_id: 3, mail: 'bob@x' }, 'others'],
      ['own if an identity of the subject matches', { user_id: 3, mail: 'ann@x' }, 'own'],
    ])
    const owned = [user(email), letter(mail, from('sender', 'user.id'))].map((each) => ({
      ...each,
      service_meta: each.name === 'letter' ? { owner: ['mail'] } : {},
    }))
    says({ of: 'letter', collections: owned, found: { user_id: known } }, [
      ['own even with a declared owner', { user_id: 1, mail: 'bob@x' }, 'own'],
    ])
  })
  describe('finds the person it names', () => {
    says(
      {
        of: 'user',
        collections: [user(loyalty, field('phone', { identity: 'phone' })), letter(email)],
        found: { id: known },
        learned: { phone: ['555'] },
      },
      [
        ['own if the row that names them is own', { id: 1 }, 'own'],
        ['indirect if the row that names them is', { id: 2 }, 'indirect'],
        ['but no other row', { id: 3 }, 'none'],
        [
          'undecided if the row has an unknown identity',
          { id: 1, loyalty: 'L9' },
          "undecided by user.id: the person refers to it, but 'loyalty' names somebody who may or may not be the person",
        ],
        [
          'undecided if the row has an identity that differs',
          { id: 1, phone: '777' },
          'undecided by user.id: belongs to the person by id, or to somebody else by phone',
        ],
      ],
    )
  })
})

describe('a declared owner', () => {
  describe('decides by its first field that holds a value', () => {
    const collections = [
      person,
      note(['author_id', 'mail'], undirected('author_id', 'person.id'), mail, from('editor_id', 'person.id')),
    ]
    says({ of: 'note', collections, found: { author_id: known, editor_id: known } }, [
      ['own', { author_id: 1, mail: 'bob@x', editor_id: 3 }, 'own'],
      ['indirect if it leads to a row that may be shared', { author_id: 2 }, 'indirect'],
      [
        'another person’s, even if later fields name the subject',
        { author_id: 3, mail: 'ann@x', editor_id: 1 },
        'others',
      ],
      ['by the next field if it is empty', { author_id: null, mail: 'ann@x', editor_id: 3 }, 'own'],
      ['by the next field if it holds only blanks', { author_id: ' ', mail: 'ann@x' }, 'own'],
      ['another person’s if only the next field holds a value', { mail: 'bob@x', editor_id: 1 }, 'others'],
      ['by other references if all declared fields are empty', { editor_id: 1 }, 'own'],
      ['not found if everything is empty', {}, 'none'],
    ])
  })
  describe('decides by the whole of a reference', () => {
    const member = collection('member', [
      field('tenant', { primary_key: true }),
      field('no', { primary_key: true }),
      email,
    ])
    const group = { group: 'who' }
    const two = note(['t'], undirected('t', 'member.tenant', group), undirected('n', 'member.no', group), mail)
    says({ of: 'note', collections: [member, two], found: { 'n+t': { own: [[5, 1]] } } }, [
      ['own if it leads to the subject', { t: 1, n: 5, mail: 'bob@x' }, 'own'],
      ['another person’s if it does not', { t: 2, n: 5, mail: 'ann@x' }, 'others'],
      ['by the next field if a part is missing', { t: 1, mail: 'ann@x' }, 'own'],
    ])
    const typed = note(['ref'], undirected('ref', 'person.id', { when: { kind: 'person' } }), field('kind'), mail)
    says({ of: 'note', collections: [person, typed], found: { ref: known } }, [
      ['if its condition is met', { ref: 3, kind: 'person', mail: 'ann@x' }, 'others'],
      ['by the next field if its condition is not met', { ref: 1, kind: 'team', mail: 'bob@x' }, 'others'],
      ['but the next field decides if its condition is not met', { ref: 3, kind: 'team', mail: 'ann@x' }, 'own'],
    ])
  })
  describe('that is an identity with an unknown value', () => {
    const collections = [
      person,
      note(
        ['loyalty', 'author_id'],
        undirected('author_id', 'person.id'),
        loyalty,
        from('editor_id', 'person.id'),
        mail,
      ),
    ]
    const given = { of: 'note', collections, found: { author_id: known, editor_id: known } }
    const open = "'loyalty' names somebody who may or may not be the person"
    says(given, [
      ['is skipped if a later field leads to the subject', { loyalty: 'L1', author_id: 1 }, 'own'],
      [
        'leaves a row undecided that a reference connects with the subject',
        { loyalty: 'L1', author_id: 3, editor_id: 1 },
        `undecided by note.editor_id: ${open}`,
      ],
      [
        'leaves it undecided even if another identity differs',
        { loyalty: 'L1', mail: 'bob@x', editor_id: 1 },
        `undecided by note.editor_id: ${open}`,
      ],
      ['makes it another person’s if a later field names another person', { loyalty: 'L1', author_id: 3 }, 'others'],
      ['makes it another person’s even if another identity matches', { loyalty: 'L1', mail: 'ann@x' }, 'others'],
      ['makes it another person’s if the row holds nothing else', { loyalty: 'L1' }, 'others'],
    ])
    const told = { ...given, learned: { loyalty: ['L1'] } }
    says(told, [
      ['decides once rows of the subject have shown its value', { loyalty: 'L1', author_id: 3 }, 'own'],
      ['decides against the subject if the value differs', { loyalty: 'L2', author_id: 1 }, 'others'],
    ])
  })
  describe('that leads to an unknown row', () => {
    const gone = collection('gone', [key(), field('no', { identity: 'device' }), wanted('x')])
    const collections = [
      person,
      gone,
      note(['gone_id'], undirected('gone_id', 'gone.id'), from('person_id', 'person.id')),
    ]
    says({ of: 'note', collections, found: { person_id: known } }, [
      [
        'leaves the row undecided',
        { gone_id: 9, person_id: 1 },
        "undecided by note.gone_id: 'gone_id' leads to a collection that is not searched",
      ],
    ])
    const shared = [
      collection('person', [key(), email, field('code')]),
      note(['code'], undirected('code', 'person.code'), mail),
    ]
    says({ of: 'note', collections: shared, found: { code: { ...known, ambiguous: true } } }, [
      [
        'leaves it undecided if it leads to several rows',
        { code: 1 },
        "undecided by note.code: another row holds the value of 'code' as well, so it is unclear which of them is meant",
      ],
    ])
  })
  describe('that is an unconfirmed identity', () => {
    const both = collection('both', [email, field('phone', { identity: 'phone' })])
    says(
      {
        of: 'note',
        collections: [both, note(['mail'], mail)],
        identities: [{ email: 'ann@x', phone: '555' }],
        doubted: ['email'],
      },
      [
        [
          'leaves the row undecided',
          { mail: 'ann@x' },
          "undecided by note.mail: 'mail' alone does not say that it is the person's",
        ],
      ],
    )
  })
})

describe('a plain value in the place of an object that says whose the row is', () => {
  const by = (...members: unknown[]) => ({ ...field('by'), fields: members })
  const why = "at 'by.id' a plain value stands in the place of its members"
  describe('names anybody, by a reference', () => {
    const collections = [person, note(undefined, from('author_id', 'person.id'), by(from('id', 'person.id')), mail)]
    says({ of: 'note', collections, found: { author_id: known, 'by.id': known } }, [
      ['own where it has members', { author_id: 1, by: { id: 1 } }, 'own'],
      ['own where it is blank', { author_id: 1, by: ' ' }, 'own'],
      [
        'undecided where another reference leads to the subject',
        { author_id: 1, by: 2 },
        `undecided by note.author_id: belongs to the person by author_id, but ${why}`,
      ],
      [
        'undecided where an identity does',
        { mail: 'ann@x', by: 2 },
        `undecided by note.mail: belongs to the person by mail, or to somebody else by by.id, ${why}`,
      ],
    ])
  })
  describe('counts in the order of a declared owner', () => {
    const owner = ['author_id', 'by.id']
    const collections = [person, note(owner, from('author_id', 'person.id'), by(from('id', 'person.id')), mail)]
    says({ of: 'note', collections, found: { author_id: known, 'by.id': known } }, [
      ['own where an earlier field decides', { author_id: 1, by: 2 }, 'own'],
      ['undecided where it comes first', { mail: 'ann@x', by: 2 }, `undecided by note.by.id: ${why}`],
    ])
  })
  describe('is no contrary where the condition of the reference is not met', () => {
    const typed = from('id', 'person.id', { when: { kind: 'person' } })
    const collections = [person, note(undefined, from('author_id', 'person.id'), field('kind'), by(typed))]
    says({ of: 'note', collections, found: { author_id: known } }, [
      ['own', { author_id: 1, kind: 'shop', by: 2 }, 'own'],
    ])
  })
  describe('names anybody, by an identity', () => {
    const contact = { ...field('contact'), fields: [field('email', { identity: 'email' })] }
    says(
      {
        of: 'note',
        collections: [person, note(undefined, from('author_id', 'person.id'), contact, mail)],
        found: { author_id: known },
      },
      [
        ['own where it has members', { author_id: 1, contact: { email: 'ann@x' } }, 'own'],
        [
          'undecided where a reference leads to the subject',
          { author_id: 1, contact: 'bob@x, 0123' },
          'undecided by note.contact.email: a plain value stands in the place of its members',
        ],
        [
          'undecided where another identity does',
          { mail: 'ann@x', contact: 'bob@x, 0123' },
          'undecided by note.contact.email: a plain value stands in the place of its members',
        ],
      ],
    )
    const owned = note(['mail', 'contact.email'], contact, mail)
    says({ of: 'note', collections: [person, owned] }, [
      ['own where an earlier field of the owner decides', { mail: 'ann@x', contact: 'bob@x' }, 'own'],
    ])
  })
  describe('names anybody, by an open reference', () => {
    const collections = [person, note(undefined, mail, by(undirected('id', 'person.id')))]
    says({ of: 'note', collections }, [
      [
        'undecided',
        { mail: 'ann@x', by: 2 },
        'undecided by note.mail: belongs to the person by mail, or to somebody else by by.id',
      ],
    ])
  })
})
