import type { Value } from '@habeas/core'
import { shop } from '@habeas/testkit'
import { describe } from 'vitest'
import {
  type BrokenConnector,
  connectorsFoundOut,
  faulty,
  faultyGroups,
  faultyValues,
  texts,
} from './faulty-connector.js'

const values: readonly BrokenConnector[] = [
  [
    "gives columns in the table's order",
    faulty((connection) => ({
      read: (read, options) => {
        const names = shop.find(({ name }) => name === read.collection)?.columns.map(({ name }) => name) ?? []
        const columns = [...read.columns].sort((left, right) => names.indexOf(left) - names.indexOf(right))
        return connection.read({ ...read, columns }, options)
      },
    })),
    'a row gives its values in the order of the columns asked for',
  ],
  [
    'gives key columns that were not asked for',
    faulty((connection) => ({
      read: (read, options) => {
        const extra = read.anyOf.flatMap(({ fields }) => fields.map(({ path }) => path[0]!))
        return connection.read({ ...read, columns: [...new Set([...read.columns, ...extra])] }, options)
      },
    })),
    'a row gives its values in the order of the columns asked for',
  ],
  ...(
    [
      ['gives 64-bit integers as numbers', 'big', Number, 'a value of the kind big_integer has its JSON form (big)'],
      ['gives decimals as numbers', 'exact', Number, 'a value of the kind decimal has its JSON form (exact)'],
      [
        'rounds decimals',
        'exact',
        (text) => Number(text).toFixed(4),
        'a value of the kind decimal has its JSON form (exact)',
      ],
      ['gives floats as text', 'approximate', String, 'a value of the kind float has its JSON form (approximate)'],
      ['gives booleans as numbers', 'flag', Number, 'a value of the kind boolean has its JSON form (flag)'],
      [
        'gives empty text as null',
        'words',
        (text) => text || null,
        'a value of the kind string has its JSON form (words)',
      ],
      [
        'moves days into a zone',
        'day',
        (text) => `${text}T00:00:00Z`,
        'a value of the kind date has its JSON form (day)',
      ],
      [
        'gives times in the form of its driver',
        'moment',
        (text) => String(text).replace('T', ' '),
        'a value of the kind timestamp has its JSON form (moment)',
      ],
      [
        'cuts times to milliseconds',
        'moment',
        (text) => new Date(String(text)).toISOString(),
        'a value of the kind timestamp has its JSON form (moment)',
      ],
      [
        'loses the zone of times',
        'moment',
        (text) => String(text).replace('Z', '+02:00'),
        'a value of the kind timestamp has its JSON form (moment)',
      ],
      [
        'gives bytes in hexadecimal',
        'raw',
        (text) => Buffer.from(String(text), 'base64').toString('hex'),
        'a value of the kind bytes has its JSON form (raw)',
      ],
      [
        'gives objects as text',
        'document',
        (value) => JSON.stringify(value),
        'a value of the kind object has its JSON form (document)',
      ],
      ['gives null as text', 'words', (value) => String(value), 'a value of the kind string has its JSON form (words)'],
    ] satisfies [string, string, (value: Value | undefined) => Value, string][]
  ).map(
    ([fault, column, change, name]): BrokenConnector => [
      fault,
      faultyValues((value, of) =>
        of === column && (value !== null || fault.includes('null')) ? change(value) : value,
      ),
      name,
    ],
  ),
  [
    'gives integers as text',
    faultyValues((value, column) => (column === 'id' || column === 'whole' ? String(value) : value)),
    'a value of the kind integer has its JSON form (id)',
    'a value of the kind integer has its JSON form (whole)',
  ],
  [
    'gives UUIDs as they lie in memory',
    faultyValues((value, column) => (column === 'identifier' ? String(value).replaceAll('-', '') : value)),
    'a value of the kind uuid has its JSON form (identifier)',
  ],
  [
    'binds no value of a known kind',
    faultyGroups(({ fields, ...group }) => ({
      ...group,
      fields,
      values: group.values.map((column, part) =>
        [...column].map((value) => (fields[part]?.kind === undefined ? value : 'not bound')),
      ),
    })),
    ...[
      'integer that was read finds its row again (id)',
      'integer that was read finds its row again (whole)',
      'big_integer that was read finds its row again (big)',
      'decimal that was read finds its row again (exact)',
      'float that was read finds its row again (approximate)',
      'boolean that was read finds its row again (flag)',
      'string that was read finds its row again (words)',
      'uuid that was read finds its row again (identifier)',
      'date that was read finds its row again (day)',
    ].map((name) => `a value of the kind ${name}`),
  ],
  [
    'binds times in another form',
    faultyGroups((group) => texts((text) => text.replace(/^(\d{4}-\d\d-\d\d)T/, '$1 '))(group)),
    'a value of the kind timestamp that was read finds its row again (moment)',
  ],
  [
    'gives lists without nulls',
    faultyValues((value) =>
      JSON.parse(
        JSON.stringify(value, (_, member) => (Array.isArray(member) ? member.filter((part) => part !== null) : member)),
      ),
    ),
    'a value of the kind object has its JSON form (document)',
  ],
  [
    'gives objects without empty members',
    faultyValues((value, column) => (column === 'items' && Array.isArray(value) && value.length === 0 ? null : value)),
    'objects and lists come whole',
  ],
]

describe('connectorReadContract, on values', () => connectorsFoundOut(values))
