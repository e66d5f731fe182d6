import { describe } from 'vitest'
import { email, known, loyalty, mail, person, says } from '../../../test/fixtures/judged-rows.js'
import { collection, field, from, key, to, undirected, wanted } from '../../../test/fixtures/planned-shop.js'

describe('owner references of a row', () => {
  const note = (...more: unknown[]) =>
    collection('note', [key(), from('a', 'person.id'), from('b', 'person.id'), wanted('text'), ...more])
  describe('decide together', () => {
    says({ of: 'note', collections: [person, note()], found: { a: known, b: known } }, [
      ['own if all lead to the subject', { a: 1, b: 1 }, 'own'],
      ['own if one leads to the subject and the other is empty', { a: 1 }, 'own'],
      ['shared if only some lead to the subject', { a: 1, b: 3 }, 'shared: belongs to another person by b'],
      ['indirect if one leads to a row that may be shared', { a: 1, b: 2 }, 'indirect'],
      ['indirect if the only one leads to a row that may be shared', { a: 2 }, 'indirect'],
      ['shared if another one leads to another person', { a: 2, b: 3 }, 'shared: belongs to another person by b'],
      ['another person’s if none leads to the subject', { a: 3, b: 4 }, 'others'],
      ['not found if all are empty', { a: null, b: ' ' }, 'none'],
    ])
  })
  describe('decide nothing if several rows hold the same value', () => {
    const found = { a: { ...known, ambiguous: true }, b: known }
    const why = "another row holds the value of 'a' as well, so it is unclear which of them is meant"
    says({ of: 'note', collections: [person, note()], found }, [
      ['one reference alone', { a: 1 }, `undecided by note.a: ${why}`],
      [
        'together with a reference to the subject',
        { a: 1, b: 1 },
        `undecided by note.a: belongs to the person by a, but ${why}`.replace(
          '.a: belongs to the person by a',
          '.b: belongs to the person by b',
        ),
      ],
      ['together with a reference to another person', { a: 1, b: 3 }, `undecided by note.a: ${why}`],
      ['but another person’s if the value is none of the subject’s', { a: 3 }, 'others'],
    ])
  })
  describe('decide nothing if they lead to a collection that is not searched', () => {
    const gone = collection('gone', [key(), field('no', { identity: 'device' }), wanted('x')])
    says({ of: 'note', collections: [person, gone, note(from('g', 'gone.id'))], found: { a: known, b: known } }, [
      [
        'and hold a value',
        { a: 1, g: 9 },
        "undecided by note.a: belongs to the person by a, but 'g' leads to a collection that is not searched",
      ],
      [
        'also together with a reference to another person',
        { a: 3, g: 9 },
        "undecided by note.g: 'g' leads to a collection that is not searched",
      ],
      ['but the row is own if they are empty', { a: 1, g: null }, 'own'],
    ])
  })
  describe('leave a row undecided that an open reference connects with the subject', () => {
    says(
      {
        of: 'note',
        collections: [person, note(mail, undirected('o', 'person.id'))],
        found: { a: known, b: known, o: known },
      },
      [
        [
          'if no owner reference leads to the subject',
          { a: 3, o: 1 },
          'undecided by note.o: belongs to the person by o, or to somebody else by a',
        ],
        ['but own if one leads to the subject', { a: 1, o: 3 }, 'own'],
        ['but another person’s if the open reference leads to another person', { a: 3, o: 4 }, 'others'],
      ],
    )
  })
  describe('of a group hold together', () => {
    const member = collection('member', [
      field('tenant', { primary_key: true }),
      field('no', { primary_key: true }),
      email,
    ])
    const group = { group: 'who' }
    const visit = collection('visit', [from('t', 'member.tenant', group), from('n', 'member.no', group), wanted('x')])
    says(
      {
        of: 'visit',
        collections: [member, visit],
        found: {
          'n+t': {
            own: [
              [5, 1],
              [6, 2],
            ],
          },
        },
      },
      [
        ['own if both parts belong to one found key', { t: 1, n: 5 }, 'own'],
        ['another person’s if the parts belong to different keys', { t: 1, n: 6 }, 'others'],
        ['empty if a part is missing', { t: 1, n: null }, 'none'],
      ],
    )
  })
  describe('hold a value only', () => {
    const typed = collection('note', [
      from('ref', 'person.id', { when: { kind: 'person' } }),
      field('kind'),
      from('b', 'person.id', {}),
      wanted('x'),
    ])
    says({ of: 'note', collections: [person, typed], found: { ref: known, b: known } }, [
      ['if their condition is met', { ref: 1, kind: 'person' }, 'own'],
      [
        'and the row is shared if another person is referred to under that condition',
        { ref: 3, kind: 'person', b: 1 },
        'shared: belongs to another person by ref',
      ],
      ['but not if their condition is not met', { ref: 3, kind: 'team', b: 1 }, 'own'],
    ])
    const blank = collection('note', [
      field('a', {
        placeholders: [0, 'N/A'],
        references: [{ dataset: 'shop', field: 'person.id', direction: 'from' }],
      }),
      from('b', 'person.id'),
      wanted('x'),
    ])
    says({ of: 'note', collections: [person, blank], found: { a: known, b: known } }, [
      ['that is not a placeholder', { a: 0, b: 1 }, 'own'],
      ['that is not blank', { a: '\u00a0', b: 1 }, 'own'],
      ['that is a placeholder only for another field', { a: 1, b: 0 }, 'shared: belongs to another person by b'],
    ])
  })
  describe('in a list', () => {
    says({ of: 'note', collections: [person, note()], found: { a: known, b: known } }, [
      ['lead to the subject if one element does', { a: [3, 1] }, 'own'],
      ['lead to another person if no element leads to the subject', { a: [3, 4] }, 'others'],
    ])
  })
})

describe('a row that the subject refers to', () => {
  const part = (...more: unknown[]) => collection('part', [key(), wanted('street'), ...more])
  const holder = collection('holder', [key(), email, loyalty, to('part_id', 'part.id')])
  describe('is judged like any row, and is the subject’s if it names no owner', () => {
    const collections = [person, holder, part(mail, loyalty, from('owner_id', 'person.id'))]
    const given = { of: 'part', collections, found: { id: { indirect: [7] }, owner_id: known } }
    says(given, [
      ['indirect, because other people may refer to it too', { id: 7 }, 'indirect'],
      ['not found if no row refers to it', { id: 8 }, 'none'],
      ['by its identity: own', { id: 7, mail: 'ann@x' }, 'own'],
      [
        'by its identity: undecided if that is another person’s',
        { id: 7, mail: 'bob@x' },
        'undecided by part.id: belongs to the person by id, or to somebody else by mail',
      ],
      [
        'undecided if the owner of its identity is unknown',
        { id: 7, loyalty: 'L1' },
        "undecided by part.id: the person refers to it, but 'loyalty' names somebody who may or may not be the person",
      ],
      ['by its owner: own', { id: 7, owner_id: 1 }, 'own'],
      ['by its owner: another person’s', { id: 7, owner_id: 3 }, 'others'],
      ['by its owner: indirect if that row is', { id: 7, owner_id: 2 }, 'indirect'],
    ])
    says({ ...given, learned: { loyalty: ['L1'] } }, [
      ['by a learned identity: own', { id: 7, loyalty: 'L1' }, 'own'],
      [
        'by a learned identity: undecided',
        { id: 7, loyalty: 'L2' },
        'undecided by part.id: belongs to the person by id, or to somebody else by loyalty',
      ],
    ])
  })
  describe('is decided by its declared owner', () => {
    const owned = collection('part', [key(), wanted('street'), mail], { owner: ['mail'] })
    says({ of: 'part', collections: [holder, owned], found: { id: { indirect: [7] } } }, [
      ['own', { id: 7, mail: 'ann@x' }, 'own'],
      ['another person’s', { id: 7, mail: 'bob@x' }, 'others'],
      ['indirect if the owner is empty', { id: 7 }, 'indirect'],
    ])
  })
})
