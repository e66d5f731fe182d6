import type { KeyGroup, Row, Value } from '@habeas/core'
import { describe } from 'vitest'
import {
  type BrokenConnector,
  batchesWith,
  connectorsFoundOut,
  faulty,
  faultyGroups,
  texts,
} from './faulty-connector.js'

const collectionNamed = (change: (name: string) => string) =>
  faulty((connection) => ({
    read: (read, options) => connection.read({ ...read, collection: change(read.collection) }, options),
  }))

const keys: readonly BrokenConnector[] = [
  [
    'heeds the first value only',
    faultyGroups((group) => ({ ...group, values: group.values.map((column) => [...column].slice(0, 1)) })),
    'a read gives the rows whose field holds one of the values',
  ],
  [
    'reads group by group',
    faulty((connection) => ({
      async *read(read, options) {
        for (const group of read.anyOf) yield* connection.read({ ...read, anyOf: [group] }, options)
      },
    })),
    'groups are alternatives, and a row that meets several comes once',
    'identical rows come as often as there are',
  ],
  [
    'gives equal rows once',
    faulty((connection) => ({
      async *read(read, options) {
        const seen = new Set<string>()
        const isNew = (row: Row) => seen.size < seen.add(JSON.stringify(row)).size
        yield* batchesWith(connection.read(read, options), (rows) => rows.filter(isNew))
      },
    })),
    'identical rows come as often as there are',
  ],
  [
    'heeds the first group only',
    faulty((connection) => ({
      read: (read, options) => connection.read({ ...read, anyOf: read.anyOf.slice(0, 1) }, options),
    })),
    'groups are alternatives, and a row that meets several comes once',
  ],
  [
    'ignores when',
    faultyGroups(({ fields, values }) => ({ fields, values })),
    'when narrows its own group, by text, number or boolean',
  ],
  [
    'heeds one condition of when',
    faultyGroups(({ when = [], ...group }) => ({ ...group, when: when.slice(0, 1) })),
    'when narrows its own group, by text, number or boolean',
  ],
  [
    'applies when to every group',
    faulty((connection) => ({
      read: (read, options) => {
        const when = read.anyOf.flatMap((group) => group.when ?? [])
        return connection.read({ ...read, anyOf: read.anyOf.map((group) => ({ ...group, when })) }, options)
      },
    })),
    'when narrows its own group, by text, number or boolean',
  ],
  [
    'heeds one part of a tuple',
    faultyGroups(({ fields, values, ...group }) => ({
      ...group,
      fields: fields.slice(0, 1),
      values: values.slice(0, 1),
    })),
    'the parts of a tuple must be met together, not crosswise',
  ],
  [
    'matches the parts of tuples crosswise',
    faultyGroups(({ fields, values, ...group }) => {
      const tuples = values.reduce<Value[][]>(
        (all, column) => all.flatMap((tuple) => [...column].map((value) => [...tuple, value])),
        [[]],
      )
      return { ...group, fields, values: fields.map((_, part) => tuples.map((tuple) => tuple[part]!)) }
    }),
    'the parts of a tuple must be met together, not crosswise',
  ],
  [
    'gives every row when it finds none',
    faulty((connection) => ({
      async *read(read, options) {
        const [found] = await connection.count([read])
        const all: KeyGroup = { fields: [{ path: ['customer_id'] }], values: [[1, 2, 3]] }
        yield* connection.read(found === 0 && read.collection === 'orders' ? { ...read, anyOf: [all] } : read, options)
      },
    })),
    'values that no row holds find nothing',
  ],
  [
    'compares loosely without saying so',
    faulty(() => ({}), { loose: true }),
    'a field is compared as it stands, or lower-cased when asked for',
    'whole numbers beyond 2^53 are told apart, as text and as bigint',
  ],
  [
    'does not lower-case',
    faultyGroups(({ fields, ...group }) => ({ ...group, fields: fields.map(({ path }) => ({ path })) })),
    'a field is compared as it stands, or lower-cased when asked for',
  ],
  [
    'lower-cases one side only',
    faulty((connection) => ({
      read: (read, options) => {
        const anyOf = read.anyOf.map(({ fields, ...group }) =>
          fields.some(({ caseInsensitive }) => caseInsensitive)
            ? texts((text) => text.toLowerCase())({ ...group, fields: fields.map(({ path }) => ({ path })) })
            : { ...group, fields },
        )
        return connection.read({ ...read, anyOf }, options)
      },
    })),
    'a field is compared as it stands, or lower-cased when asked for',
  ],
  ...(
    [
      ['trims text', (text) => text.trim()],
      ['stores text in one byte a character', (text) => Buffer.from(text, 'latin1').toString('latin1')],
      ['strips quotes', (text) => text.replaceAll("'", '')],
      ['doubles backslashes', (text) => text.replaceAll('\\', '\\\\')],
      ['cuts long text', (text) => text.slice(0, 255)],
      ['takes JSON for JSON', (text) => (text.startsWith('{') ? JSON.parse(text) : text)],
      ['takes the word null for null', (text) => (text === 'null' ? null : text)],
      ['replaces placeholders', (text) => text.replace(/^[?$:@]\w*$/, 'replaced')],
    ] satisfies [string, (text: string) => Value][]
  ).map(
    ([fault, change]): BrokenConnector => [
      fault,
      faultyGroups(texts(change)),
      'hostile text is found by being equal and never interpreted',
    ],
  ),
  [
    'folds the case of names',
    collectionNamed((name) => name.toLowerCase()),
    'odd names of tables and columns are names and nothing else',
  ],
  [
    'takes keys up to a limit of its own',
    faultyGroups((group) => ({ ...group, values: group.values.map((column) => [...column].slice(0, 1_000)) })),
    'a read takes as many keys as the connector says, packed or not',
  ],
  [
    'cannot read packed keys',
    faultyGroups((group) => ({
      ...group,
      values: group.values.map((column) => (Array.isArray(column) ? column : Object.keys(column))),
    })),
    'a read takes as many keys as the connector says, packed or not',
  ],
  [
    'compares decimals as texts',
    faultyGroups(({ fields, ...group }) => ({ ...group, fields: fields.map(({ kind: _, ...field }) => field) })),
    'decimals are met by what they are worth, whatever their scale',
  ],
  [
    'looks for a key as it is spelled',
    faultyGroups(({ spelledAs: _, ...group }) => group),
    'over a foreign key rows are met by what the server holds equal, and give its spelling',
  ],
  [
    'tells how a row spells a key',
    faulty((connection) => ({
      read: ({ spelled = [], ...read }, options) =>
        connection.read({ ...read, columns: [...read.columns, ...spelled.flatMap(({ columns }) => columns)] }, options),
    })),
    'over a foreign key rows are met by what the server holds equal, and give its spelling',
  ],
  [
    'tells keys that nothing points to',
    faulty((connection) => ({
      read: (read, options) =>
        batchesWith(connection.read(read, options), (rows) => rows.map((row) => row.map((value) => value ?? 'none'))),
    })),
    'over a foreign key rows are met by what the server holds equal, and give its spelling',
  ],
  [
    'ignores nested paths',
    faulty((connection) => ({
      read: (read, options) => {
        const anyOf = read.anyOf.map(({ fields, ...group }) => ({
          ...group,
          fields: fields.map((field) => ({ ...field, path: field.path.slice(0, 1) })),
        }))
        return connection.read({ ...read, anyOf }, options)
      },
    })),
    'keys in objects and lists are met where nested fields can be',
  ],
]

describe('connectorReadContract, on keys', () => connectorsFoundOut(keys))
