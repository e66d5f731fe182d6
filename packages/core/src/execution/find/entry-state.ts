import type { KeyColumn, KeyGroup } from '../../ports/connector.js'
import type { Entry } from '../../rules/plan/plan.js'
import { givenSpellings } from '../../rules/plan/served-spellings.js'
import type { OpenConnection } from '../connect/open-connections.js'
import type { Key } from './key-of.js'
import { type KeySet, keySet } from './key-set.js'
import { type KeyLimits, mostKeys } from './most-keys.js'

/** Keys of one kind, each with the chunk in which it was asked for. */
interface AskedKeys {
  readonly keys: KeySet
  /** The end position (exclusive) of the keys of each chunk. Both numbers increase. */
  readonly asked: { readonly to: number; readonly chunk: number }[]
}

/** All keys of one entry of a collection: those of own rows, and those of rows that may be shared. */
export interface EntryState {
  readonly entry: Entry
  own: AskedKeys
  indirect: AskedKeys
  /** Rows of other people hold the same keys, so that these keys do not tell the owner. */
  ambiguous?: boolean
}

/** A part of one statement. */
export interface Chunk {
  readonly number: number
  readonly groups: readonly KeyGroup[]
}

export function entryState(entry: Entry): EntryState {
  return { entry, own: { keys: keySet(entry.fields), asked: [] }, indirect: { keys: keySet(entry.fields), asked: [] } }
}

/** Adds a key. A key that is already own is not added as indirect. */
export function addKey(state: EntryState, key: Key, own: boolean): void {
  if (own) state.own.keys.add(key)
  else if (state.own.keys.find(key) === -1) state.indirect.keys.add(key)
}

/** Uses complete key sets without copying them. */
export function shareKeys(state: EntryState, found: { readonly own: KeySet; readonly indirect: KeySet }): void {
  state.own = { keys: found.own, asked: [] }
  state.indirect = { keys: found.indirect, asked: [] }
}

export function copyKeys(state: EntryState, own: KeySet, indirect: KeySet): void {
  for (let at = 0; at < own.size; at++) addKey(state, own.at(at), true)
  for (let at = 0; at < indirect.size; at++) addKey(state, indirect.at(at), false)
}

/** Whether rows are still to be asked for by some of the keys. */
export function hasNewKeys({ entry, own, indirect }: EntryState): boolean {
  return !entry.compared && [own, indirect].some(({ keys, asked }) => (asked.at(-1)?.to ?? 0) < keys.size)
}

/** The chunk in which the key at `position` was asked for. Infinite if it was not asked for yet. */
export function chunkOf(asked: AskedKeys['asked'], position: number): number {
  if (position === -1) return Number.POSITIVE_INFINITY
  let low = 0
  let high = asked.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((asked[middle] as { to: number }).to > position) high = middle
    else low = middle + 1
  }
  return asked[low]?.chunk ?? Number.POSITIVE_INFINITY
}

/**
 * Divides the keys that were not asked for yet into statements of as many as a connector takes and numbers them from `first`.
 * Small entries share a statement. The keys of an entry without an index stay in one statement, to scan the table once.
 */
export function nextChunks(states: readonly EntryState[], first: number, limits: KeyLimits): Chunk[] {
  const parts = Math.max(...states.map(({ entry }) => entry.fields.length))
  const most = mostKeys(limits, parts)
  const { maxKeysWithoutIndex = limits.maxKeys } = limits
  const mostWithoutIndex = mostKeys({ ...limits, maxKeys: maxKeysWithoutIndex }, parts)
  const chunks: { number: number; groups: KeyGroup[]; room: number }[] = []
  for (const state of states) {
    if (state.entry.compared) continue
    const limit = state.entry.indexed ? most : mostWithoutIndex
    for (const { keys, asked } of [state.own, state.indirect]) {
      let from = asked.at(-1)?.to ?? 0
      while (from < keys.size) {
        let chunk = chunks.at(-1)
        if (!chunk || chunk.room <= 0 || (!state.entry.indexed && chunk.room < keys.size - from)) {
          chunk = { number: first + chunks.length, groups: [], room: limit }
          chunks.push(chunk)
        }
        const to = Math.min(keys.size, from + chunk.room)
        chunk.groups.push(keyGroup(state.entry, keys, from, to))
        chunk.room -= to - from
        asked.push({ to, chunk: chunk.number })
        from = to
      }
    }
  }
  return chunks
}

/** The number of rows that hold one of the keys. */
export async function countRows(
  { connection, connector, permit }: OpenConnection,
  { collection, entry, keys }: { readonly collection: string; readonly entry: Entry; readonly keys: readonly KeySet[] },
  signal: AbortSignal,
): Promise<number> {
  const state = entryState({ ...entry, indexed: true })
  for (const each of keys) for (let at = 0; at < each.size; at++) addKey(state, each.at(at), true)
  let rows = 0
  for (const { groups } of nextChunks([state], 0, connector.capabilities)) {
    using _permit = await permit(signal)
    const [count = 0] = await connection.count([{ collection, anyOf: groups }], { signal })
    rows += count
  }
  return rows
}

/** Makes a group whose values exist only while a connector uses them, so that waiting chunks hold no copies. */
export function keyGroup(entry: Entry, keys: KeySet, from: number, to: number): KeyGroup {
  let made: WeakRef<readonly KeyColumn[]> | undefined
  const { spellings } = entry
  const columnOf = (part: number): KeyColumn => {
    const values = keys.column(part, from, to)
    return spellings === 'given' ? [...values].flatMap((value) => givenSpellings(String(value))) : values
  }
  return {
    fields: entry.fields.map((field) => ({
      path: field.path,
      ...(field.kind && { kind: field.kind }),
      ...(field.caseInsensitive && spellings !== 'given' && { caseInsensitive: true }),
      ...(field.trimmed && !spellings && { trimmed: true }),
    })),
    get values() {
      const values = made?.deref() ?? entry.fields.map((_, part) => columnOf(part))
      made = new WeakRef(values)
      return values
    },
    get uuids() {
      return keys.uuids?.(from, to)
    },
    ...(entry.when.length > 0 && { when: entry.when.map(({ path, equals }) => ({ path, equals })) }),
  }
}

/** Keys that one collection found for an entry of another. */
export interface Contribution {
  readonly to: string
  readonly entry: number
  readonly own: KeySet
  /** Keys of rows that may be shared, and of rows that the subject's rows refer to. */
  readonly indirect: KeySet
  /** Rows of other people hold some of these keys as well. */
  readonly ambiguous?: boolean
}
