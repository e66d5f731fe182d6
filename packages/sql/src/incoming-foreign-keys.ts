import type { ForeignKey, IncomingForeignKey } from '@habeas/core'
import type { ForeignKeyPartRow } from './assemble-catalogue.js'

/** One part of a foreign key of any schema. `tableSchema` is the one that holds the referencing table. */
export interface AnyForeignKeyPartRow extends Omit<ForeignKeyPartRow, 'loose'> {
  readonly tableSchema: string
  readonly onUpdate: ForeignKey['onDelete']
}

/** Assembles the foreign keys of other schemas, by the table that they refer to. The rows may come in any order. */
export function incomingForeignKeys(
  rows: readonly AnyForeignKeyPartRow[],
): ReadonlyMap<string, readonly IncomingForeignKey[]> {
  const keys = new Map<string, AnyForeignKeyPartRow[]>()
  for (const row of rows) {
    const key = JSON.stringify([row.tableSchema, row.collection, row.key])
    keys.set(key, [...(keys.get(key) ?? []), row])
  }
  const byTable = new Map<string, IncomingForeignKey[]>()
  for (const unordered of keys.values()) {
    const parts = unordered.sort((one, other) => one.position - other.position)
    const {
      key: name,
      tableSchema,
      collection,
      referencedCollection,
      onDelete,
      onUpdate,
    } = parts[0] as AnyForeignKeyPartRow
    const incoming: IncomingForeignKey = {
      name,
      schema: tableSchema,
      collection,
      columns: parts.map(({ column }) => column),
      references: parts.map(({ referencedColumn }) => referencedColumn),
      onDelete,
      ...(onUpdate !== 'no action' && { onUpdate }),
    }
    byTable.set(referencedCollection, [...(byTable.get(referencedCollection) ?? []), incoming])
  }
  return byTable
}
