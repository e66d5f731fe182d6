import assert from 'node:assert/strict'
import {
  type Assignment,
  type Column,
  type Erase,
  exactText,
  PrivacyError,
  type Value,
  withMemberChanges,
} from '@habeas/core'
import { copyOf } from './copy-of.js'
import { checkPointers, checkUnchanged } from './counted-rows.js'
import { tupleText } from './exact-text.js'
import { fitsColumn } from './fits-column.js'
import { keySpeller } from './key-speller.js'
import { liveColumns, type MemoryDatabase, type MemoryRow, referencedBy } from './memory-database.js'
import { checkDraft, memoryDraft, refused, type UnenforcedRules } from './memory-draft.js'
import { followForeignKeys } from './memory-foreign-keys.js'
import { rowMatcher } from './row-matcher.js'
import { rowsWithin } from './rows-within.js'

/**
 * Works a batch out as a server would, or throws as the port says. Nothing is written before the returned function is
 * called.
 */
export const preparedErase = (database: MemoryDatabase, erase: Erase, unenforced: UnenforcedRules): (() => void) => {
  const columns = checkedColumns(database, erase)
  return drafted(database, erase, rowsToTouch(erase, database, columns), columns, unenforced)
}

/**
 * Carries a batch out on a server without transactions: row after row, so that it may end in the middle. `between` is
 * called before each row. What others must not change is counted before and after.
 */
export const eraseRowByRow = async (
  database: MemoryDatabase,
  erase: Erase,
  unenforced: UnenforcedRules,
  between: () => Promise<void> = async () => {},
): Promise<void> => {
  const columns = checkedColumns(database, erase)
  for (const touched of rowsToTouch(erase, database, columns)) {
    await between()
    const isStill = matchingRows(erase, database, columns).some(({ row }) => row === touched.row)
    if (isStill) drafted(database, erase, [touched], columns, unenforced)()
  }
  await between()
  checkUnchanged(database, {
    ...erase,
    unchanged: erase.unchanged?.filter((held) => held.collection !== erase.collection) ?? [],
  })
  checkPointers(database, erase)
}

/** The live columns, once the batch is known to be one that the server takes. */
const checkedColumns = (database: MemoryDatabase, erase: Erase): ReadonlyMap<string, Column> => {
  checkErase(erase)
  const columns = new Map(liveColumns(database[erase.collection]!).map((column) => [column.name, column]))
  checkAssignments(erase, columns)
  checkReferences(database, erase)
  checkUnchanged(database, erase)
  checkPointers(database, erase)
  return columns
}

/** What the batch does to some of its rows, once no rule refuses it. */
const drafted = (
  database: MemoryDatabase,
  erase: Erase,
  touched: readonly TouchedRow[],
  columns: ReadonlyMap<string, Column>,
  unenforced: UnenforcedRules,
): (() => void) => {
  const draft = memoryDraft(database)
  const written = unenforced.includes('length') ? withoutLengths(columns) : columns
  for (const { row, index } of touched) {
    if (erase.set === 'delete') draft.remove(erase.collection, row)
    else draft.change(erase.collection, row, assigned(erase, erase.set, row, index, written))
  }
  if (!unenforced.includes('foreign_key')) followForeignKeys(draft)
  checkDraft(draft, unenforced)
  return draft.write
}

const withoutLengths = (columns: ReadonlyMap<string, Column>): ReadonlyMap<string, Column> =>
  new Map([...columns].map(([name, { length: _, ...column }]) => [name, column]))

/** A row that holds a key, and the position of that key. */
interface TouchedRow {
  readonly row: MemoryRow
  readonly index: number
}

/** Throws as the port says when the cascading foreign keys are not those of the catalogue. */
const checkReferences = (database: MemoryDatabase, erase: Erase): void => {
  if (erase.referencedBy === undefined || erase.referencedBy === referencedBy(database, erase.collection)) return
  const message = `Foreign keys that point to ${erase.collection} have changed since it was described`
  throw new PrivacyError('connection_failed', message, { reason: 'referenced_since' })
}

/** The rows that hold a key. */
const holdersOf = (
  { collection, key, keys, filter }: Erase,
  database: MemoryDatabase,
  columns: ReadonlyMap<string, Column>,
) => {
  const textOf = (parts: readonly (Value | undefined)[]) =>
    tupleText(parts.map((part, index) => exactText(part, columns.get(key[index]!)?.kind)))
  const positions = new Map(keys[0]!.map((_, index) => [textOf(keys.map((column) => column[index])), index]))
  assert.equal(positions.size, keys[0]!.length, 'no two keys of a batch are the same')
  return rowsWithin(database[collection]!, filter).flatMap((row): TouchedRow[] => {
    const index = positions.get(textOf(key.map((name) => row[name])))
    return index === undefined ? [] : [{ row, index }]
  })
}

/** Those that meet a group as well: compared exactly, however loosely reads compare. */
const matchingRows = (erase: Erase, database: MemoryDatabase, columns: ReadonlyMap<string, Column>) => {
  const meets = rowMatcher(erase.anyOf, false, keySpeller(database, erase.collection))
  return holdersOf(erase, database, columns).filter(({ row }) => meets(row))
}

/** The same, once it is known that the keys name no other rows. */
const rowsToTouch = (erase: Erase, database: MemoryDatabase, columns: ReadonlyMap<string, Column>) => {
  const { length } = holdersOf(erase, database, columns)
  const most = erase.keys[0]!.length
  if (erase.rows === undefined ? length > most : length !== erase.rows) {
    const message = `Rows of ${erase.collection} cannot be told apart by ${erase.key.join(', ')}: declare a key that can`
    throw new PrivacyError('unsupported', message, { reason: 'ambiguous_rows' })
  }
  return matchingRows(erase, database, columns)
}

const assigned = (
  { collection }: Erase,
  set: readonly Assignment[],
  row: MemoryRow,
  index: number,
  columns: ReadonlyMap<string, Column>,
): MemoryRow => {
  const after: MemoryRow = {}
  for (const assignment of set) {
    const { column } = assignment
    const current = row[column] ?? null
    if (current === null) continue
    const to = 'to' in assignment ? assignment.to : assignment.toEach[index]!
    const was = 'to' in assignment ? undefined : assignment.was?.[index]
    const value = was === undefined ? to : withMemberChanges(current, was, to)
    if (!fitsColumn(value, columns.get(column))) throw refused(collection, { column })
    after[column] = copyOf(value)
  }
  return after
}

/** Batches that a server refuses whatever its rows hold. */
const checkAssignments = ({ collection, set }: Erase, columns: ReadonlyMap<string, Column>): void => {
  if (set === 'delete') return
  for (const { column } of set) {
    if (columns.get(column)?.generated === true) throw refused(collection, { column })
  }
}

/** Fails when a batch breaks the port: then the engine is wrong, not the row. */
const checkErase = ({ key, keys, set, pointers = [], unchanged = [] }: Erase): void => {
  assert.ok(key.length > 0, 'a batch names at least one key column')
  assert.equal(keys.length, key.length, 'a batch has one column of values for each key column')
  const count = keys[0]!.length
  assert.ok(count > 0, 'a batch names at least one row')
  assert.ok(
    keys.every((column) => column.length === count),
    'the columns of keys are equally long',
  )
  for (const { count, most } of pointers)
    assert.equal(most.length, count.group.values[0]?.length, 'an entry says of each tuple how many rows may hold it')
  for (const { group, rows } of unchanged) {
    assert.ok(group.exact, 'rows that are to stay as they are hold what was read')
    assert.ok(rows > 0, 'an entry names at least one row')
  }
  if (set === 'delete') return
  assert.ok(set.length > 0, 'a batch sets at least one column')
  assert.equal(new Set(set.map(({ column }) => column)).size, set.length, 'a batch sets a column once')
  for (const assignment of set) {
    if ('to' in assignment) continue
    const { toEach, was } = assignment
    assert.equal(toEach.length, count, 'a column has one value for each key')
    assert.ok(was === undefined || was.length === count, 'a column has one value that was for each key')
  }
}
