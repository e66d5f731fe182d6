import { PrivacyError } from '../../errors.js'
import type { RowKind, Rows } from '../../ports/rows.js'
import type { Query, Storage, Table } from '../../ports/storage.js'

/** What a trial has written of one kind. Undefined: it has deleted the row. */
type Changes = Map<string, Rows[RowKind] | undefined>

/**
 * Shows what would be stored: rows come from `storage`, and writes are seen here alone. Rows are searched by their ids, or
 * all are asked for.
 */
export function trialStorage(storage: Storage): Storage {
  const changed = new Map<RowKind, Changes>()
  const trial: Storage = {
    table<Kind extends RowKind>(kind: Kind): Table<Kind> {
      const changes = changed.get(kind) ?? new Map()
      changed.set(kind, changes)
      return trialTable(storage.table(kind), kind, changes)
    },
    transaction: (work) => work(trial),
    close: async () => {},
  }
  return trial
}

function trialTable<Kind extends RowKind>(stored: Table<Kind>, kind: Kind, changes: Changes): Table<Kind> {
  type Row = Rows[Kind]
  const get = async (id: string) => (changes.has(id) ? (changes.get(id) as Row | undefined) : stored.get(id))
  const find = async ({ where = {}, ...page }: Query<Kind> = {}) => {
    const { id, ...others } = where as { id?: { in?: readonly string[] } }
    if ((id && !id.in) || [others, page].some((part) => Object.keys(part).length > 0))
      throw new PrivacyError('internal', 'A trial searches rows by their ids only.')
    const asked = id?.in && new Set(id.in)
    const rows = await stored.find({ where })
    const own = [...changes.values()].filter((row) => row !== undefined && (!asked || asked.has(row.id)))
    return [...rows.filter((row) => !changes.has(row.id)), ...(own as Row[])]
  }
  const insert = async (row: Row) => {
    if (await get(row.id)) throw new PrivacyError('conflict', `${kind} ${row.id} exists already`, { kind, id: row.id })
    changes.set(row.id, row)
  }
  return {
    get,
    find,
    count: async (where) => (await find(where && { where })).length,
    insert,
    async insertMany(rows) {
      for (const row of rows) await insert(row)
    },
    async replace(row) {
      if ((await get(row.id))?.version !== row.version - 1) return false
      changes.set(row.id, row)
      return true
    },
    async take(id) {
      const row = await get(id)
      changes.set(id, undefined)
      return row
    },
  }
}
