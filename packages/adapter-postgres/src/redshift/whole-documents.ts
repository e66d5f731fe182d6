import {
  type Connection,
  type Erase,
  type EraseOptions,
  type Row,
  tupleMatcher,
  type Value,
  withMemberChanges,
} from '@habeas/core'
import { ambiguousFailure } from '@habeas/sql'

type Assigned = Exclude<Erase['set'], 'delete'>[number]
type MemberAssigned = Extract<Assigned, { readonly toEach: unknown }> & { readonly was: readonly Value[] }

const holdsMembers = (assigned: Assigned): assigned is MemberAssigned =>
  'toEach' in assigned && 'was' in assigned && assigned.was !== undefined

/**
 * Writes documents whole where members of them change, because the server writes no member by itself. The document that was read
 * right before becomes a part of the key of its row: where it has changed since, the row is left, and a look at it tells.
 */
export function wholeDocuments(connection: Connection): Connection {
  async function erase(batch: Erase, options?: EraseOptions): Promise<void> {
    const { collection, key, keys, set } = batch
    const nested = set === 'delete' ? [] : set.filter(holdsMembers)
    if (set === 'delete' || nested.length === 0) return connection.erase!(batch, options)
    const columns = nested.map(({ column }) => column)
    const named = { fields: key.map((name) => ({ path: [name] })), values: keys, exact: true } as const
    const positionsOf = tupleMatcher(named)
    const found = new Map<number, Row>()
    let rows = 0
    for await (const read of connection.read({ collection, columns: [...key, ...columns], anyOf: [named] }))
      for (const row of read) {
        rows++
        const byName = Object.fromEntries(key.map((name, at) => [name, row[at]!]))
        for (const position of positionsOf(byName)) found.set(position, row.slice(key.length))
      }
    const expected = batch.rows ?? keys[0]?.length ?? 0
    const isNone = found.size === 0
    if (rows > expected || (isNone && (batch.rows ?? rows) > 0)) throw ambiguousFailure(collection, key)
    // rows that no longer exist are no failure, and a batch without keys is no statement
    if (isNone) return
    const there = [...found.keys()].sort((one, other) => one - other)
    const documents = columns.map((_, at) => there.map((position) => found.get(position)![at] ?? null))
    const changed = nested.map(({ was, toEach }, at) =>
      there.map((position, row) => withMemberChanges(documents[at]![row]!, was[position]!, toEach[position]!)),
    )
    const kept = keys.map((values) => there.map((position) => values[position]!))
    await connection.erase!(
      {
        ...batch,
        key: [...key, ...columns],
        keys: [...kept, ...documents],
        set: set.map((assigned) => {
          const at = columns.indexOf(assigned.column)
          if (at >= 0) return { column: assigned.column, toEach: changed[at]! }
          return 'to' in assigned
            ? assigned
            : { column: assigned.column, toEach: there.map((position) => assigned.toEach[position]!) }
        }),
      },
      options,
    )
  }
  return { ...connection, erase }
}
