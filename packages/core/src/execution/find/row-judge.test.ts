import { describe } from 'vitest'
import { email, known, loyalty, mail, person, says } from '../../../test/fixtures/judged-rows.js'
import { collection, field, from, key, references, undirected, wanted } from '../../../test/fixtures/planned-shop.js'

const note = (owner: string[] | undefined, ...more: unknown[]) =>
  collection('note', [key(), wanted('text'), ...more], owner && { owner })

describe('a reference that names its person', () => {
  const letter = (...more: unknown[]) =>
    collection('letter', [key(), references('user_id', 'user.id', 'both'), wanted('text'), ...more])
  const user = (...more: unknown[]) => collection('user', [key(), wanted('name'), ...more])
  describe('decides before all', () => {
    const collections = [user(email), letter(loyalty, mail, from('sender', 'user.id'))]
    says({ of: 'letter', collections, found: { user_id: known, sender: known } }, [
      ['where it leads to the person', { user_id: 1 }, 'own'],
      ['whatever else the row names', { user_id: 1, mail: 'bob@x', sender: 7 }, 'own'],
      ['where it leads to what may be shared', { user_id: 2, mail: 'bob@x' }, 'indirect'],
      ['but not where it leads to another', { user_id: 3, mail: 'bob@x' }, 'others'],
      ['and an identity that is the person finds whom the row names', { user_id: 3, mail: 'ann@x' }, 'own'],
    ])
    const owned = [user(email), letter(mail, from('sender', 'user.id'))].map((each) => ({
      ...each,
      service_meta: each.name === 'letter' ? { owner: ['mail'] } : {},
    }))
    says({ of: 'letter', collections: owned, found: { user_id: known } }, [
      ['even an owner that is written', { user_id: 1, mail: 'bob@x' }, 'own'],
    ])
  })
  describe('finds whom it names', () => {
    says(
      {
        of: 'user',
        collections: [user(loyalty, field('phone', { identity: 'phone' })), letter(email)],
        found: { id: known },
        learned: { phone: ['555'] },
      },
      [
        ['who is the person', { id: 1 }, 'own'],
        ['or shared, as the row that names them is', { id: 2 }, 'indirect'],
        ['but nobody else', { id: 3 }, 'none'],
        [
          'nor one of whom nobody knows who it is',
          { id: 1, loyalty: 'L9' },
          "undecided by user.id: the person refers to it, but 'loyalty' names somebody who may or may not be the person",
        ],
        [
          'nor one whom an identity contradicts',
          { id: 1, phone: '777' },
          'undecided by user.id: to the person by id, or to somebody else by phone',
        ],
      ],
    )
  })
})

describe('an owner that is written', () => {
  describe('decides by its first field that holds a value', () => {
    const collections = [
      person,
      note(['author_id', 'mail'], undirected('author_id', 'person.id'), mail, from('editor_id', 'person.id')),
    ]
    says({ of: 'note', collections, found: { author_id: known, editor_id: known } }, [
      ['own', { author_id: 1, mail: 'bob@x', editor_id: 3 }, 'own'],
      ['shared where it leads to a shared row', { author_id: 2 }, 'indirect'],
      ['else somebody else’s, whatever comes after it', { author_id: 3, mail: 'ann@x', editor_id: 1 }, 'others'],
      ['the next where it holds nothing', { author_id: null, mail: 'ann@x', editor_id: 3 }, 'own'],
      ['or blanks alone', { author_id: ' ', mail: 'ann@x' }, 'own'],
      ['or only what stands for nothing', { mail: 'bob@x', editor_id: 1 }, 'others'],
      ['what else the row says where none of them does', { editor_id: 1 }, 'own'],
      ['and nothing where nothing does', {}, 'none'],
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
      ['that leads to the person', { t: 1, n: 5, mail: 'bob@x' }, 'own'],
      ['that does not', { t: 2, n: 5, mail: 'ann@x' }, 'others'],
      ['that lacks a part and so holds nothing', { t: 1, mail: 'ann@x' }, 'own'],
    ])
    const typed = note(['ref'], undirected('ref', 'person.id', { when: { kind: 'person' } }), field('kind'), mail)
    says({ of: 'note', collections: [person, typed], found: { ref: known } }, [
      ['under its condition', { ref: 3, kind: 'person', mail: 'ann@x' }, 'others'],
      ['that holds nothing where its condition is not met', { ref: 1, kind: 'team', mail: 'bob@x' }, 'others'],
      ['so that the rest of the row decides', { ref: 3, kind: 'team', mail: 'ann@x' }, 'own'],
    ])
  })
  describe('that is an identity nobody knows', () => {
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
      ['is passed over where a later one is the person’s', { loyalty: 'L1', author_id: 1 }, 'own'],
      [
        'leaves undecided what a reference leads to',
        { loyalty: 'L1', author_id: 3, editor_id: 1 },
        `undecided by note.editor_id: ${open}`,
      ],
      [
        'also beside an identity that is somebody else',
        { loyalty: 'L1', mail: 'bob@x', editor_id: 1 },
        `undecided by note.editor_id: ${open}`,
      ],
      ['and is somebody else’s otherwise', { loyalty: 'L1', author_id: 3 }, 'others'],
      ['whatever other identities the row has', { loyalty: 'L1', mail: 'ann@x' }, 'others'],
      ['and by itself', { loyalty: 'L1' }, 'others'],
    ])
    const told = { ...given, learned: { loyalty: ['L1'] } }
    says(told, [
      ['decides once rows of the person have told it', { loyalty: 'L1', author_id: 3 }, 'own'],
      ['also that it is another', { loyalty: 'L2', author_id: 1 }, 'others'],
    ])
  })
  describe('that leads nobody knows where', () => {
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
        'as does one that leads to several',
        { code: 1 },
        "undecided by note.code: another row holds the value of 'code' as well, so it is unclear which of them is meant",
      ],
    ])
  })
  describe('that is an identity which nothing has confirmed', () => {
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
