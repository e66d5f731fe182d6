import type { Row } from '@habeas/core'
import { failure } from '@habeas/sql'
import { expect, it } from 'vitest'
import {
  columnsQuery,
  foreignKeysQuery,
  keyPartsQuery,
  rightsQuery,
  tablesQuery,
  viewsQuery,
} from './catalogue-queries.js'
import { liveCatalogue } from './live-catalogue.js'

const column = (
  table: string,
  name: string,
  position: number,
  base: string,
  more: Readonly<Record<number, Row[number]>> = {},
) => {
  const row: Row[number][] = [table, name, position, base, 40, 10, 2, null, null, true, false, false, false, false]
  for (const [at, value] of Object.entries(more)) row[Number(at)] = value
  return row
}
const table = (name: string, temporal: number | null) => [
  name,
  temporal,
  null,
  null,
  null,
  null,
  false,
  false,
  false,
  '5',
  '',
  false,
  null,
]

const lists: Readonly<Record<string, readonly Row[]>> = {
  [rightsQuery]: [[5, 1, 1]],
  [columnsQuery]: [
    column('people', 'id', 1, 'int', { 9: false, 10: true }),
    column('people', 'email', 2, 'nvarchar', { 7: 'SQL_Latin1_General_CP1_CI_AS', 8: 1252 }),
    column('people', 'old', 3, 'varchar', { 7: 'Turkish_CI_AS', 8: 1254 }),
    column('people', 'data', 4, 'nvarchar', { 4: -1, 11: true }),
    column('shown', 'email', 1, 'nvarchar'),
  ],
  [keyPartsQuery]: [
    ['people', 'pk', 'id', 1, true, true],
    ['people', 'by_email', 'email', 1, false, true],
    ['people', 'by_old', 'old', 1, false, false],
  ],
  [foreignKeysQuery]: [
    ['sales', 'orders', 'orders_person', 'person', 1, 'dbo', 'people', 'id', 'CASCADE', 'NO_ACTION'],
  ],
  [tablesQuery]: [table('people', 0), table('shown', null)],
  [viewsQuery]: [['dbo', 'shown', 'dbo', 'people', 'U ', false, false]],
}

const described = async (answers = lists) => {
  const ask = async (sql: string) => {
    const rows = answers[sql]
    if (!rows) throw failure('permission', 'no permission')
    return rows
  }
  const { catalogue } = await liveCatalogue('dbo').describe(ask)
  return Object.fromEntries(catalogue.collections.map((collection) => [collection.name, collection]))
}

it('describes columns, keys of every schema, and what null means to a unique index', async () => {
  const { people, shown } = await described()
  expect(people?.columns).toMatchObject([
    { name: 'id', kind: 'integer', nullable: false, generated: true },
    { name: 'email', type: 'nvarchar(20)', kind: 'string', length: 20, foldedIndex: 'case' },
    { name: 'old', type: 'varchar(40)', length: 40 },
    { name: 'data', type: 'nvarchar(max)', kind: 'object' },
  ])
  // in Turkish the small letter of I is another one
  expect(people?.columns[2]?.foldedIndex).toBeUndefined()
  expect(people).toMatchObject({ primaryKey: ['id'], uniqueKeys: [['email']], nullOnce: [['email']] })
  const incoming = { name: 'orders_person', schema: 'sales', collection: 'orders', onDelete: 'cascade' }
  expect(people?.incomingForeignKeys).toEqual([{ ...incoming, columns: ['person'], references: ['id'] }])
  expect([shown?.view, shown?.hidesRows]).toEqual([{ writable: false, shows: ['people'] }, undefined])
})

it('takes a view for one that hides rows where the user may not ask what it shows', async () => {
  const { [viewsQuery]: _, ...others } = lists
  const { people, shown } = await described(others)
  expect(shown).toMatchObject({ view: { writable: false }, hidesRows: true, policiesUnknown: true })
  expect(people?.hidesRows).toBeUndefined()
})

it('says that a schema is not there', async () => {
  await expect(described({ ...lists, [rightsQuery]: [[null, 1, 1]] })).rejects.toThrow('check db_schema')
})
