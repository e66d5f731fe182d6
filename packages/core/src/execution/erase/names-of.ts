import type { Row } from '../../ports/connector.js'
import type { IncomingReference, PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import { entryState, nextChunks } from '../find/entry-state.js'
import type { KeySet } from '../find/key-set.js'
import { askedKeys } from './asked-keys.js'
import type { CheckingContext } from './erasure-context.js'
import { keyText } from './key-text.js'

/**
 * The columns that name a referring row: its key, or the columns of its entries if it is not erased, its reference, and the
 * references to its owner. A row with another owner or another target counts as another row.
 */
export function namesOf(
  { erasure, entries, judging }: PlannedCollection,
  fields: readonly PlannedField[],
): readonly string[] {
  const isKeyed = erasure !== undefined && erasure.key.length > 0
  const key = isKeyed ? erasure.key.map(({ column }) => column) : entries.flatMap((entry) => entry.fields).map(columnOf)
  const masked = new Set(erasure?.masks.map(({ path }) => path[0]))
  const owners = judging.owners.flatMap((owner) => owner.fields.map(columnOf)).filter((column) => !masked.has(column))
  return [...new Set([...key, ...fields.map(columnOf), ...owners])].sort()
}

/**
 * The columns that identify a row which an earlier erasure has left: those that name it, those that may hold an identity,
 * and those that the erasure wrote. If one of them has changed, the row has a new owner or the person has come back.
 */
export function leftNamesOf(from: PlannedCollection, fields: readonly PlannedField[]): readonly string[] {
  const owners = from.judging.owners.flatMap((owner) => owner.fields.map(columnOf))
  const written = (from.erasure?.masks ?? []).map(({ path }) => path[0] as string)
  return [...new Set([...namesOf(from, fields), ...owners, ...identityColumns(from), ...written])].sort()
}

/** Columns that may hold an identity, also one that the request lacks. */
export function identityColumns({ knownBy = [] }: PlannedCollection): readonly string[] {
  return knownBy.map(({ field }) => columnOf(field))
}

/** The values of these columns of a row, as one text. */
export function nameOf(names: readonly string[], row: Row, columns: readonly string[]): string {
  return keyText(names.map((name) => row[columns.indexOf(name)] ?? null))
}

/**
 * Reads rows that refer to one of the keys: only the columns that name them, those of the reference, and `more`. Callers
 * have checked that the keys are askable.
 */
export async function* referencingRows(
  context: CheckingContext,
  from: PlannedCollection,
  { fields, to, when }: IncomingReference,
  keys: KeySet,
  more: readonly string[] = [],
): AsyncIterable<{ readonly rows: readonly Row[]; readonly columns: readonly string[] }> {
  const names = namesOf(from, fields)
  const byEntry = [...fields, ...when].map(({ path: [column] }) => column as string)
  const columns = [...new Set([...names, ...byEntry, ...more])]
  const open = await context.connection(from.connectionKey, from.address)
  const asked = askedKeys(fields, to, keys)
  const state = entryState({ fields: asked.fields, when, indexed: true })
  state.own = { keys: asked.keys, asked: [] }
  const { signal } = context.lease
  for (const { groups } of nextChunks([state], 0, open.connector.capabilities)) {
    using _permit = await open.permit(signal)
    const what = { collection: from.collection, columns, anyOf: groups }
    for await (const rows of open.connection.read(what, { signal })) yield { rows, columns }
  }
}
