import type { Read, Row, Value } from '@habeas/core'
import { copyOf } from './copy-of.js'
import { keySpeller } from './key-speller.js'
import type { MemoryCollection, MemoryDatabase, MemoryRow } from './memory-database.js'

const rowOf = (columns: readonly string[], row: MemoryRow, { schemaless }: MemoryCollection): (Value | undefined)[] =>
  columns.map((column) => {
    const value = row[column]
    if (value === undefined) return schemaless === true ? undefined : null
    return copyOf(value)
  })

/** Gives rows as a read asks for them. */
export const rowGiver = (
  read: Read,
  collection: MemoryCollection,
  database: MemoryDatabase,
): ((row: MemoryRow) => Row) => {
  const spellers = (read.spelled ?? []).map(keySpeller(database, read.collection))
  return (row) => [...rowOf(read.columns, row, collection), ...spellers.flatMap((spell) => spell(row))]
}
