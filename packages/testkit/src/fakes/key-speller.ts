import assert from 'node:assert/strict'
import type { SpelledKey, Value } from '@habeas/core'
import { insensitiveText, tupleText } from './exact-text.js'
import type { MemoryDatabase, MemoryRow } from './memory-database.js'

/** Gives, part by part, the exact text of the key that a row refers to; nulls where it refers to nothing. */
export type KeySpeller = (row: MemoryRow) => readonly (string | null)[]

const spelling = (value: Value | undefined): string | null => {
  if (value === null || value === undefined) return null
  return typeof value === 'string'
    ? value
    : JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each))
}

/**
 * The values of the columns as one text, the same for all values that a loose server takes for equal; undefined where
 * one is null.
 */
export const looseKey = (row: MemoryRow, columns: readonly string[]): string | undefined => {
  const parts = columns.map((column) => insensitiveText(row[column]))
  return parts.includes(undefined) ? undefined : tupleText(parts as string[])
}

/** Whether a foreign key of the database compares loosely and leads between these collections. */
const isLoose = (database: MemoryDatabase, from: string | undefined, { columns, as }: SpelledKey): boolean =>
  Object.entries(database).some(([name, { foreignKeys = [] }]) =>
    foreignKeys.some(({ loose, columns: own, references }) => {
      const isThat = references.collection === as.collection && `${references.columns}` === `${as.columns}`
      return loose === true && isThat && (from === undefined || (name === from && `${own}` === `${columns}`))
    }),
  )

/** How rows of a collection spell keys. Fails where no foreign key compares loosely: then no caller has to ask. */
export const keySpeller =
  (database: MemoryDatabase, collection: string) =>
  (key: SpelledKey): KeySpeller => {
    const { columns, as } = key
    if (as.collection === collection && `${as.columns}` === `${columns}`) {
      assert.ok(isLoose(database, undefined, key), `a foreign key that compares loosely points to ${collection}`)
      return (row) => columns.map((column) => spelling(row[column]))
    }
    assert.ok(isLoose(database, collection, key), `${columns} of ${collection} are a foreign key that compares loosely`)
    const pointedTo = new Map(
      database[as.collection]!.rows.map((row) => [
        looseKey(row, as.columns),
        as.columns.map((part) => spelling(row[part])),
      ]),
    )
    const nothing = columns.map(() => null)
    return (row) => {
      const looked = looseKey(row, columns)
      return (looked === undefined ? undefined : pointedTo.get(looked)) ?? nothing
    }
  }
