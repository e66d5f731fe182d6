import type { CountRows, EmptyField, KeyGroup, Value } from '@habeas/core'
import { describe } from 'vitest'
import { type BrokenConnector, connectorsFoundOut, faulty } from './faulty-connector.js'

const nested = { capabilities: { maxKeys: 20_000, nestedFields: true } }

/** Counts something else than what was asked for. */
const faultyCounts = (change: (counted: CountRows) => CountRows, options = {}) =>
  faulty((connection) => ({ count: (counts) => connection.count(counts.map(change)) }), options)

const faultyNoneOf = (change: (noneOf: readonly KeyGroup[]) => readonly KeyGroup[]) =>
  faultyCounts(({ noneOf = [], ...counted }) => ({ ...counted, noneOf: change(noneOf) }))

const faultyEmpty = (change: (field: EmptyField) => EmptyField | undefined, options = {}) =>
  faultyCounts(({ empty = [], ...counted }) => {
    return { ...counted, empty: empty.flatMap((field) => change(field) ?? []) }
  }, options)

/** Takes these texts for something where a field has to be empty. */
const heeding = (...texts: string[]) =>
  faultyCounts(({ noneOf = [], empty = [], ...counted }) => {
    const held = empty.map(({ path }): KeyGroup => ({ fields: [{ path }], values: [texts] }))
    return { ...counted, empty, noneOf: [...noneOf, ...held] }
  })

const crosswise = ({ values, ...group }: KeyGroup): KeyGroup => {
  const tuples = values.reduce<Value[][]>(
    (all, column) => all.flatMap((tuple) => [...column].slice(0, 9).map((value) => [...tuple, value])),
    [[]],
  )
  return { ...group, values: values.map((_, part) => tuples.map((tuple) => tuple[part]!)) }
}

const inOrder = 'counts come in the order in which they were asked for, each of its own collection'
const leftOut = 'rows that meet a group of noneOf are left out'
const nullMeetsNothing = 'a null meets no group of noneOf, and keys that no row can hold leave out none'
const emptyFields = 'fields that must be empty hold null, blanks or a placeholder'
const emptyMembers = 'members that must be empty are absent or hold nothing, as elements do'
const withoutKeys = 'a count without keys that fit is none, whatever else it says'
const missing = 'a count names the collection or the column that is missing'

const answers: readonly BrokenConnector[] = [
  [
    'counts group by group',
    faulty((connection) => ({
      count: async (counts) => {
        const each = counts.map(({ anyOf, ...counted }) =>
          connection.count(anyOf.map((group) => ({ ...counted, anyOf: [group] }))),
        )
        return (await Promise.all(each)).map((numbers) => numbers.reduce((sum, count) => sum + count, 0))
      },
    })),
    'a count is the number of rows that meet a group',
  ],
  [
    'counts as many as one read may give too many',
    faultyCounts((counted) => ({ ...counted, anyOf: counted.anyOf.map(crosswise) })),
    'a count is the number of rows that meet a group',
    'tuples whose texts are lower-cased are met together as well',
  ],
  [
    'counts the first alone',
    faulty((connection) => ({ count: (counts) => connection.count(counts.slice(0, 1)) })),
    inOrder,
  ],
  [
    'gives counts as they come',
    faulty((connection) => ({
      count: async (counts) => [...(await connection.count(counts))].sort((left, right) => left - right),
    })),
    inOrder,
  ],
  [
    'leaves out counts of nothing',
    faulty((connection) => ({
      count: async (counts) => (await connection.count(counts)).filter((count) => count > 0),
    })),
    inOrder,
    withoutKeys,
  ],
  [
    'counts each collection once',
    faulty((connection) => ({
      count: async (counts) => {
        const byName = new Map(counts.map((counted) => [counted.collection, counted]))
        const found = await connection.count([...byName.values()])
        return counts.map(({ collection }) => found[[...byName.keys()].indexOf(collection)]!)
      },
    })),
    inOrder,
  ],
  [
    'asks of the first collection only',
    faulty((connection) => ({
      count: (counts) => connection.count(counts.map((each) => ({ ...each, collection: counts[0]!.collection }))),
    })),
    inOrder,
    missing,
  ],
  [
    'cannot be asked for nothing',
    faulty((connection) => ({
      count: async (counts) => (counts.length === 0 ? Promise.reject(new Error('select')) : connection.count(counts)),
    })),
    inOrder,
  ],
  [
    'counts every row where there are no keys',
    faulty((connection) => ({
      count: async (counts) => {
        const found = await connection.count(counts)
        return found.map((count, at) => (counts[at]!.anyOf.length === 0 ? 9 : count))
      },
    })),
    withoutKeys,
  ],
  [
    'counts none of what is missing',
    faulty((connection) => ({ count: (counts) => connection.count(counts).catch(() => counts.map(() => 0)) })),
    missing,
  ],
]

const noneOf: readonly BrokenConnector[] = [
  ['ignores noneOf', faultyNoneOf(() => []), leftOut, nullMeetsNothing],
  ['heeds the first group of noneOf', faultyNoneOf((groups) => groups.slice(0, 1)), leftOut],
  [
    'ignores when in noneOf',
    faultyNoneOf((groups) => groups.map(({ fields, values }) => ({ fields, values }))),
    leftOut,
    nullMeetsNothing,
  ],
  ['leaves out tuples crosswise', faultyNoneOf((groups) => groups.map(crosswise)), leftOut],
  [
    'leaves out what lacks a value',
    faulty((connection) => ({
      count: async (counts) => {
        const found = await connection.count(counts)
        const lacking = await connection.count(
          counts.map(({ noneOf = [], empty = [], ...counted }) => {
            const fields = noneOf.flatMap((group) => group.fields)
            return { ...counted, anyOf: fields.length > 0 ? counted.anyOf : [], noneOf, empty: [...empty, ...fields] }
          }),
        )
        return found.map((count, at) => count - lacking[at]!)
      },
    })),
    nullMeetsNothing,
  ],
  [
    'counts nothing where keys of noneOf do not fit',
    faulty((connection) => ({
      count: async (counts) => {
        const found = await connection.count(counts)
        const misfits = counts.map(({ noneOf = [] }) => noneOf.some(({ values }) => values[0]![0] === 'no number'))
        return found.map((count, at) => (misfits[at] ? 0 : count))
      },
    })),
    nullMeetsNothing,
  ],
  [
    'takes keys of noneOf up to a limit of its own',
    faultyNoneOf((groups) =>
      groups.map((group) => ({ ...group, values: group.values.map((column) => [...column].slice(0, 1_000)) })),
    ),
    'both lists of a count take as many keys as a read',
  ],
]

const empty: readonly BrokenConnector[] = [
  ['ignores empty', faultyEmpty(() => undefined), emptyFields],
  [
    'heeds the first empty field',
    faultyCounts(({ empty = [], ...counted }) => ({ ...counted, empty: empty.slice(0, 1) })),
    emptyFields,
  ],
  ['takes an empty text for something', heeding(''), emptyFields],
  ['takes blanks for something', heeding(' \t\r\n'), emptyFields],
  ['knows the blanks of ASCII only', heeding('\u00a0\u2003\u3000\ufeff'), emptyFields],
  ['ignores placeholders', faultyEmpty(({ path }) => ({ path }), nested), emptyFields, emptyMembers],
  [
    'knows placeholders of text only',
    faultyEmpty(({ path, placeholders = [] }) => {
      return { path, placeholders: placeholders.filter((placeholder) => typeof placeholder === 'string') }
    }, nested),
    emptyFields,
    emptyMembers,
  ],
  [
    'compares placeholders without regard to case',
    faultyEmpty(({ path, placeholders = [] }) => {
      const spellings = placeholders.flatMap((each) =>
        typeof each === 'string' ? [each.toLowerCase(), each.toUpperCase()] : [],
      )
      return { path, placeholders: [...placeholders, ...spellings] }
    }),
    emptyFields,
  ],
  [
    'interprets placeholders',
    faultyEmpty(({ path, placeholders = [] }) => {
      return {
        path,
        placeholders: placeholders.flatMap((each) => (each === '%' ? ['jane@example.com', each] : [each])),
      }
    }),
    'hostile keys, placeholders and names are never interpreted in a count',
  ],
  [
    'looks at whole columns where members must be empty',
    faultyEmpty(({ path, ...field }) => ({ ...field, path: path.slice(0, 1) }), nested),
    emptyMembers,
  ],
]

describe('connectorReadContract, on counts', () => connectorsFoundOut(answers))
describe('connectorReadContract, on counts that leave rows out', () => connectorsFoundOut(noneOf))
describe('connectorReadContract, on counts of empty fields', () => connectorsFoundOut(empty))
