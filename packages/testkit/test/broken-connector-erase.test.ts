import type { Value } from '@habeas/core'
import { describe } from 'vitest'
import { type BrokenEraser, changed, erasersFoundOut, erasing, keysBy, rowsByKey, setting } from './faulty-eraser.js'

const faults: readonly BrokenEraser[] = [
  [
    'does nothing',
    erasing(() => async () => {}),
    'erase touches the rows that hold a key and meet a group, and no other',
    'rows of a batch are deleted, and no other',
    'members that differ are written, and all others stay',
  ],
  [
    'heeds the keys only',
    changed((erase) => ({
      ...erase,
      anyOf: [{ fields: erase.key.map((name) => ({ path: [name] })), values: erase.keys }],
    })),
    'erase touches the rows that hold a key and meet a group, and no other',
    'a row that meets no group any more is left',
    'texts are compared exactly where the server would compare loosely',
  ],
  [
    'heeds the first group only',
    changed((erase) => ({ ...erase, anyOf: erase.anyOf.slice(0, 1) })),
    'erase touches the rows that hold a key and meet a group, and no other',
  ],
  [
    'looks for a key as it is spelled',
    changed((erase) => ({ ...erase, anyOf: erase.anyOf.map(({ spelledAs: _, ...group }) => group) })),
    'rows that refer to a key over a foreign key are touched, however they spell it',
  ],
  [
    'ignores when',
    changed((erase) => ({ ...erase, anyOf: erase.anyOf.map(({ fields, values }) => ({ fields, values })) })),
    'when narrows its own group',
  ],
  [
    'meets the parts of a group crosswise',
    changed((erase) => ({
      ...erase,
      anyOf: erase.anyOf.map((group) => {
        if (group.fields.length < 2) return group
        const [first, second] = group.values as readonly [readonly Value[], readonly Value[]]
        const all = first.flatMap((one) => second.map((other) => [one, other]))
        return { ...group, values: [all.map(([one]) => one!), all.map(([, other]) => other!)] }
      }),
    })),
    'the parts of a group must be met together, not crosswise',
  ],
  [
    'heeds the first part of a key only',
    changed((erase) => {
      const distinct = [...new Set(erase.keys[0])]
      return erase.set === 'delete' || 'toEach' in erase.set[0]!
        ? erase
        : { ...erase, key: erase.key.slice(0, 1), keys: [distinct] }
    }),
    'all parts of a key name a row, zero among them',
  ],
  [
    'takes zero for nothing',
    changed((erase) => keysBy(erase, (value) => (value === 0 ? null : value))),
    'all parts of a key name a row, zero among them',
  ],
  [
    'rounds keys to a double',
    changed((erase) =>
      keysBy(erase, (value) => (typeof value === 'string' && /^\d{16}$/.test(value) ? '9007199254740992' : value)),
    ),
    'whole numbers beyond 2^53 name the row they are',
  ],
  [
    'compares texts without regard to case',
    changed((erase, database) => {
      const keys = erase.keys.map((column, part) =>
        column.map((value, row) =>
          typeof value !== 'string'
            ? value
            : (database[erase.collection]!.rows.map((found) => found[erase.key[part]!]!).find(
                (found) => row === 0 && found !== value && String(found).toLowerCase() === value.toLowerCase(),
              ) ?? value),
        ),
      )
      return { ...erase, keys }
    }),
    'texts are compared exactly where the server would compare loosely',
  ],
  [
    'interprets text',
    setting((set) =>
      set.map((assigned) =>
        'to' in assigned && typeof assigned.to === 'string'
          ? { ...assigned, to: assigned.to.replaceAll("'", "''") }
          : assigned,
      ),
    ),
    'hostile text names a row by being equal and is never interpreted',
  ],
  [
    'writes over null',
    erasing((sound, database) => async (erase, options) => {
      const rows = rowsByKey(erase, database)
      await sound(erase, options)
      if (erase.set === 'delete' || options?.rollBack) return
      for (const assignment of erase.set) {
        for (const [index, row] of rows.entries()) {
          const to = 'to' in assignment ? assignment.to : assignment.toEach[index]!
          if (row && row[assignment.column] === null) row[assignment.column] = to
        }
      }
    }),
    'a column becomes the same in every row, and null stays null',
    'a column becomes one value a row, in the order of the keys, and null stays null',
    'members that differ are written, and all others stay',
  ],
  [
    'mixes up the values of rows',
    setting((set) =>
      set.map((assigned) => ('to' in assigned ? assigned : { ...assigned, toEach: [...assigned.toEach].reverse() })),
    ),
    'a column becomes one value a row, in the order of the keys, and null stays null',
  ],
  [
    'writes the first column only',
    setting((set) => set.slice(0, 1)),
    'a column becomes the same in every row, and null stays null',
    'members are written together with other columns',
  ],
]

describe('connectorEraseContract, on rows and values', () => erasersFoundOut(faults))
