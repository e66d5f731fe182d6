import assert from 'node:assert/strict'
import { rowMatcher as coreMatcher, type KeyGroup } from '@habeas/core'
import { insensitiveText } from './exact-text.js'
import type { keySpeller } from './key-speller.js'
import type { MemoryRow } from './memory-database.js'

type Spell = ReturnType<typeof keySpeller>

/** Whether a row refers to one of the keys, in the server's comparison. */
const spelledMatcher = ({ fields, values, spelledAs: as }: KeyGroup, spell: Spell): ((row: MemoryRow) => boolean) => {
  if (!as) return () => true
  const texts = spell({ columns: fields.map(({ path }) => path[0]!), as })
  const keys = new Set(Array.from(values[0]!, (_, at) => JSON.stringify(values.map((column) => column[at]))))
  return (row) => keys.has(JSON.stringify(texts(row)))
}

/** Fails when a group breaks the port: then the engine is wrong, not the row. */
const checkGroup = ({ fields, values }: KeyGroup): void => {
  assert.ok(fields.length > 0, 'a key group names at least one field')
  assert.equal(values.length, fields.length, 'a key group has one column of values for each field')
  assert.equal(new Set(values.map((column) => column.length)).size, 1, 'the columns of a key group are equally long')
  for (const { path } of fields) assert.ok(path.length > 0, 'the path of a key field is not empty')
}

/**
 * Tests whether a row meets at least one group; `loose` compares as loosely as the laxest servers do. `spell` is that
 * of their collection.
 */
export const rowMatcher = (anyOf: readonly KeyGroup[], loose: boolean, spell: Spell): ((row: MemoryRow) => boolean) => {
  assert.ok(anyOf.length > 0, 'a read has at least one key group')
  for (const group of anyOf) checkGroup(group)
  return coreMatcher(anyOf, {
    ...(loose && { textOf: insensitiveText }),
    refersTo: (group) => spelledMatcher(group, spell) as (row: object) => boolean,
  })
}
