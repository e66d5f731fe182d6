import { assembleCatalogue, kindOfType } from '@habeas/sql'
import { expect, it } from 'vitest'

const key = (name: string, use: 'primary' | 'unique' | 'index', position: number, column: string) => ({
  collection: 'lines',
  key: name,
  use,
  position,
  column,
})
const reference = (position: number, column: string, schema: string) => ({
  collection: 'lines',
  key: 'of_order',
  column,
  position,
  schema,
  referencedCollection: 'orders',
  referencedColumn: `its ${column}`,
  onDelete: 'cascade' as const,
})

it('puts rows in any order together', () => {
  const rows = {
    schema: 'shop',
    collections: ['orders', 'lines'],
    columns: [
      { collection: 'lines', name: 'a', type: 'int', kind: 'integer' as const, nullable: false },
      { collection: 'orders', name: 'id', type: 'int', nullable: false },
      { collection: 'lines', name: 'b', type: 'text', nullable: true, length: 5 },
    ],
    keyParts: [
      key('p', 'primary', 1, 'b'),
      key('i', 'index', 0, 'b'),
      key('p', 'primary', 0, 'a'),
      key('u', 'unique', 0, 'b'),
    ],
    foreignKeyParts: [reference(1, 'b', 'shop'), reference(0, 'a', 'shop')],
  }
  const [orders, lines] = assembleCatalogue(rows).collections
  expect(orders).toEqual({
    name: 'orders',
    columns: [{ name: 'id', type: 'int', nullable: false }],
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    indexes: [],
  })
  expect(lines).toEqual({
    name: 'lines',
    columns: [
      { name: 'a', type: 'int', kind: 'integer', nullable: false },
      { name: 'b', type: 'text', nullable: true, length: 5 },
    ],
    primaryKey: ['a', 'b'],
    uniqueKeys: [['b']],
    foreignKeys: [
      {
        name: 'of_order',
        columns: ['a', 'b'],
        references: { collection: 'orders', columns: ['its a', 'its b'] },
        onDelete: 'cascade',
      },
    ],
    indexes: [['a', 'b'], ['b'], ['b']],
  })
  const elsewhere = assembleCatalogue({ ...rows, foreignKeyParts: [reference(0, 'a', 'other')] })
  expect(elsewhere.collections[1]!.foreignKeys[0]!.references.schema).toBe('other')
  const loose = { ...rows, foreignKeyParts: [reference(0, 'a', 'shop'), { ...reference(1, 'b', 'shop'), loose: true }] }
  expect(assembleCatalogue(loose).collections[1]!.foreignKeys[0]!.loose).toBe(true)
})

it.each([
  ['BIGINT', 'integer'],
  ['int unsigned', 'integer'],
  ['character varying(20)', 'string'],
  ['NVARCHAR(max)', 'string'],
  ['decimal(10,2)', 'decimal'],
  ['double precision', 'float'],
  ['uniqueidentifier', 'uuid'],
  ['timestamp with time zone', 'timestamp'],
  ['datetime2(7)', 'datetime'],
  ['TIMESTAMP_NTZ', 'datetime'],
  ['date', 'date'],
  ['boolean', 'boolean'],
  ['VARIANT', 'object'],
  ['geometry', undefined],
  ['', undefined],
])('%s is %s', (type, kind) => expect(kindOfType(type)).toBe(kind))

it('says of views what they show, with a schema only where it is another', () => {
  const { collections } = assembleCatalogue({
    ...{ schema: 'shop', columns: [], keyParts: [], foreignKeyParts: [] },
    collections: ['orders', 'recent', 'far'],
    views: [
      { collection: 'recent', writable: true, shows: [['shop', 'orders'] as const, ['crm', 'lead'] as const] },
      { collection: 'far', writable: false },
    ],
  })
  expect(collections.map(({ view }) => view)).toEqual([
    undefined,
    { writable: true, shows: ['crm.lead', 'orders'] },
    { writable: false },
  ])
})
