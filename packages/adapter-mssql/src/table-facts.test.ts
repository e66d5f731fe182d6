import { expect, it } from 'vitest'
import type { ColumnRow, TableRow } from './catalogue-rows.js'
import { tableFacts } from './table-facts.js'

const plain: TableRow = {
  ...{ name: 'people', history: null, retention: -1, unit: -1, captured: false, inMemory: false, external: false },
  ...{ rows: 5, cascading: '', secured: false, historyOf: null, isView: false },
}
const all = { schema: true, seesDefinitions: true, seesValues: true }
const masked = [{ name: 'email', masked: true }] as unknown as ColumnRow[]
const factsOf = (table: Partial<TableRow>, columns: readonly ColumnRow[] = [], rights = all) =>
  tableFacts({ ...plain, ...table }, columns, rights, 'dbo')

it('a plain table has nothing but its cascading keys', () => {
  expect(factsOf({})).toEqual({ referencedBy: '' })
  expect(factsOf({ rows: 10_000 })).toEqual({ referencedBy: '', large: true })
})

it('an endless history is named, and one that ends says after how many days', () => {
  expect(factsOf({ history: 'dbo.people_history' }).keptIn).toEqual([{ name: 'people_history', kind: 'history' }])
  expect(factsOf({ history: 'old.people', unit: -1 }).keptIn).toEqual([{ name: 'old.people', kind: 'history' }])
  const ending = factsOf({ history: 'dbo.people_history', retention: 6, unit: 5 })
  expect([ending.keptIn, ending.keepsHistoryDays]).toEqual([undefined, 186])
})

it('captured changes are a stream of their own', () => {
  expect(factsOf({ captured: true }).keptIn).toEqual([{ name: 'cdc.dbo_people_CT', kind: 'stream' }])
})

it('a history is a copy that the server alone writes', () => {
  const facts = factsOf({ name: 'people_history', historyOf: 'dbo.people' })
  expect(facts.copyOf).toBe('people')
  expect(facts.unwritable).toContain('SYSTEM_VERSIONING')
})

it('tables that take no locks, or lie elsewhere, are not written', () => {
  expect(factsOf({ inMemory: true }).unwritable).toContain('memory-optimized')
  expect(factsOf({ external: true }).unwritable).toContain('another server')
})

it('policies and masks hide rows, and a user who may not ask is told so', () => {
  expect(factsOf({ secured: true }).hidesRows).toBe(true)
  expect(factsOf({}, masked).hidesRows).toBeUndefined()
  expect(factsOf({}, masked, { ...all, seesValues: false })).toMatchObject({ hidesRows: true })
  const blind = { ...all, seesDefinitions: false }
  expect(factsOf({}, [], blind)).toMatchObject({ hidesRows: true, policiesUnknown: true })
  expect(factsOf({ secured: true }, [], blind).policiesUnknown).toBeUndefined()
})
