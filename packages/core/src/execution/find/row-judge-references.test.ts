import { describe } from 'vitest'
import { email, known, loyalty, mail, person, says } from '../../../test/fixtures/judged-rows.js'
import { collection, field, from, key, to, undirected, wanted } from '../../../test/fixtures/planned-shop.js'

describe('owner references of a row', () => {
  const note = (...more: unknown[]) =>
    collection('note', [key(), from('a', 'person.id'), from('b', 'person.id'), wanted('text'), ...more])
  describe('decide together', () => {
    says({ of: 'note', collections: [person, note()], found: { a: known, b: known } }, [
      ['own where all lead to the person', { a: 1, b: 1 }, 'own'],
      ['also where one holds nothing', { a: 1 }, 'own'],
      ['shared where some do', { a: 1, b: 3 }, 'shared: belongs to another person by b'],
      ['shared where one leads to what may be shared', { a: 1, b: 2 }, 'indirect'],
      ['shared with what is only shared', { a: 2 }, 'indirect'],
      ['shared where another beside that is not', { a: 2, b: 3 }, 'shared: belongs to another person by b'],
      ['somebody else’s where none does', { a: 3, b: 4 }, 'others'],
      ['not found where none holds a value', { a: null, b: ' ' }, 'none'],
    ])
  })
  describe('tell nothing where others hold the same value', () => {
    const found = { a: { ...known, ambiguous: true }, b: known }
    const why = "another row holds the value of 'a' as well, so it is unclear which of them is meant"
    says({ of: 'note', collections: [person, note()], found }, [
      ['alone', { a: 1 }, `undecided by note.a: ${why}`],
      [
        'beside one that leads to the person',
        { a: 1, b: 1 },
        `undecided by note.a: to the person by a, but ${why}`.replace(
          '.a: to the person by a',
          '.b: to the person by b',
        ),
      ],
      ['beside one that leads to another', { a: 1, b: 3 }, `undecided by note.a: ${why}`],
      ['but not where the value is nobody’s of them', { a: 3 }, 'others'],
    ])
  })
  describe('tell nothing where what they lead to is not searched', () => {
    const gone = collection('gone', [key(), field('no', { identity: 'device' }), wanted('x')])
    says({ of: 'note', collections: [person, gone, note(from('g', 'gone.id'))], found: { a: known, b: known } }, [
      [
        'and they hold a value',
        { a: 1, g: 9 },
        "undecided by note.a: to the person by a, but 'g' leads to a collection that is not searched",
      ],
      ['also beside another', { a: 3, g: 9 }, "undecided by note.g: 'g' leads to a collection that is not searched"],
      ['unless they hold none', { a: 1, g: null }, 'own'],
    ])
  })
  describe('leave undecided what an open reference leads to', () => {
    says(
      {
        of: 'note',
        collections: [person, note(mail, undirected('o', 'person.id'))],
        found: { a: known, b: known, o: known },
      },
      [
        [
          'where none of them does',
          { a: 3, o: 1 },
          'undecided by note.o: to the person by o, or to somebody else by a',
        ],
        ['but not where one does', { a: 1, o: 3 }, 'own'],
        ['nor where it leads to another', { a: 3, o: 4 }, 'others'],
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
        ['as they were found', { t: 1, n: 5 }, 'own'],
        ['and not across', { t: 1, n: 6 }, 'others'],
        ['and hold nothing where a part is missing', { t: 1, n: null }, 'none'],
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
      ['under their condition', { ref: 1, kind: 'person' }, 'own'],
      [
        'which shares the row where it is met',
        { ref: 3, kind: 'person', b: 1 },
        'shared: belongs to another person by ref',
      ],
      ['and not where it is not', { ref: 3, kind: 'team', b: 1 }, 'own'],
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
      ['that is no placeholder', { a: 0, b: 1 }, 'own'],
      ['and no blank', { a: '\u00a0', b: 1 }, 'own'],
      ['0 counts elsewhere', { a: 1, b: 0 }, 'shared: belongs to another person by b'],
    ])
  })
  describe('in a list', () => {
    says({ of: 'note', collections: [person, note()], found: { a: known, b: known } }, [
      ['lead where one element does', { a: [3, 1] }, 'own'],
      ['and to another where none does', { a: [3, 4] }, 'others'],
    ])
  })
})

describe('what the person points to', () => {
  const part = (...more: unknown[]) => collection('part', [key(), wanted('street'), ...more])
  const holder = collection('holder', [key(), email, loyalty, to('part_id', 'part.id')])
  describe('is judged as any row, and theirs where it says nothing', () => {
    const collections = [person, holder, part(mail, loyalty, from('owner_id', 'person.id'))]
    const given = { of: 'part', collections, found: { id: { indirect: [7] }, owner_id: known } }
    says(given, [
      ['theirs, as others may point to it too', { id: 7 }, 'indirect'],
      ['not found where nothing points to it', { id: 8 }, 'none'],
      ['by its identity: own', { id: 7, mail: 'ann@x' }, 'own'],
      [
        'by its identity: undecided where it is another’s',
        { id: 7, mail: 'bob@x' },
        'undecided by part.id: to the person by id, or to somebody else by mail',
      ],
      [
        'undecided where nobody knows whose identity it has',
        { id: 7, loyalty: 'L1' },
        "undecided by part.id: the person refers to it, but 'loyalty' names somebody who may or may not be the person",
      ],
      ['by its owner: own', { id: 7, owner_id: 1 }, 'own'],
      ['by its owner: somebody else’s', { id: 7, owner_id: 3 }, 'others'],
      ['by its owner: shared as that row is', { id: 7, owner_id: 2 }, 'indirect'],
    ])
    says({ ...given, learned: { loyalty: ['L1'] } }, [
      ['by an identity that rows have told: own', { id: 7, loyalty: 'L1' }, 'own'],
      [
        'by an identity that rows have told: undecided',
        { id: 7, loyalty: 'L2' },
        'undecided by part.id: to the person by id, or to somebody else by loyalty',
      ],
    ])
  })
  describe('is what its written owner says', () => {
    const owned = collection('part', [key(), wanted('street'), mail], { owner: ['mail'] })
    says({ of: 'part', collections: [holder, owned], found: { id: { indirect: [7] } } }, [
      ['own', { id: 7, mail: 'ann@x' }, 'own'],
      ['somebody else’s', { id: 7, mail: 'bob@x' }, 'others'],
      ['theirs where it holds no value', { id: 7 }, 'indirect'],
    ])
  })
})
