import { PrivacyError } from '../errors.js'
import type { RowKind } from '../ports/rows.js'
import type { Storage, Table } from '../ports/storage.js'
import { frozenCopy } from './frozen-copy.js'
import { deadlock, type LockOwner, type RowLocks, rowLocks } from './row-locks.js'
import { filterRows, queryRows, type RowQuery, type RowWhere, type SearchedRow } from './row-query.js'
import { changedRows, committedRows, type RowSpace } from './row-space.js'

interface Scope {
  readonly space: RowSpace
  readonly locks: RowLocks
  readonly owner?: LockOwner
  /** Throws when the transaction this scope belongs to has ended. */
  check(): void
}

/** `Table` of the port without its row kind: rows are plain data here, and all kinds are treated alike. */
interface PlainTable {
  get(id: string): Promise<SearchedRow | undefined>
  find(query?: RowQuery): Promise<readonly SearchedRow[]>
  count(where?: RowWhere): Promise<number>
  insert(row: SearchedRow): Promise<void>
  insertMany(rows: readonly SearchedRow[]): Promise<void>
  replace(row: SearchedRow): Promise<boolean>
  take(id: string): Promise<SearchedRow | undefined>
}

/** Returns the rows that a search has to look at. Where it asks for values, only the rows that hold one of them. */
const searched = (space: RowSpace, kind: RowKind, where: RowWhere = {}): Iterable<SearchedRow> => {
  for (const [field, { equals, in: some } = {}] of Object.entries(where)) {
    const values = equals === undefined ? some : [equals]
    if (values) return space.holding(kind, field, values)
  }
  return space.all(kind)
}

const plainTable = (kind: RowKind, { space, locks, owner, check }: Scope): PlainTable => {
  // There is no `await` between the last check of the locks and the change after it, which makes the change atomic.
  const write = async <Result>(ids: readonly string[], change: () => Result): Promise<Result> => {
    const rows = ids.map((id) => `${kind}/${id}`)
    for (;;) {
      check()
      const other = locks.acquire(rows, owner)
      if (other === undefined) return change()
      await other
    }
  }

  const insertMany = async (rows: readonly SearchedRow[]): Promise<void> => {
    const copies = rows.map((row) => frozenCopy(row, kind))
    const ids = rows.map((row) => row.id)
    await write(ids, () => {
      const seen = new Set<string>()
      for (const id of ids) {
        if (seen.has(id) || space.get(kind, id) !== undefined) {
          throw new PrivacyError('conflict', `${kind} ${id} exists already`, { kind, id })
        }
        seen.add(id)
      }
      for (const copy of copies) space.put(kind, copy)
    })
  }

  return {
    async get(id) {
      check()
      return space.get(kind, id)
    },
    async find(query) {
      check()
      return queryRows(searched(space, kind, query?.where), query)
    },
    async count(where) {
      check()
      return filterRows(searched(space, kind, where), where).length
    },
    insert: (row) => insertMany([row]),
    insertMany,
    async replace(row) {
      const copy = frozenCopy(row, kind)
      return write([row.id], () => {
        if (space.get(kind, row.id)?.version !== row.version - 1) return false
        space.put(kind, copy)
        return true
      })
    },
    take: (id) =>
      write([id], () => {
        const row = space.get(kind, id)
        if (row !== undefined) space.remove(kind, id)
        return row
      }),
  }
}

const mostAttempts = 10

const transact = async <Result>(
  scope: Scope,
  owner: LockOwner,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> => {
  const space = changedRows(scope.space)
  let ended = false
  const check = () => {
    if (ended) throw new PrivacyError('internal', 'This transaction has ended: await every write inside its work.')
    scope.check()
  }
  try {
    const result = await work(storageOf({ space, locks: scope.locks, owner, check }))
    scope.check()
    // `work` may have caught the error that asked it to give way.
    if (owner.gaveWay) throw deadlock()
    space.apply()
    return result
  } finally {
    // A transaction inside another keeps its rows locked until the outer one ends, as a savepoint does.
    ended = true
  }
}

/** Repeats work that gave way to another transaction, once that one has had time to go on. */
const repeated = async <Result>(scope: Scope, work: (storage: Storage) => Promise<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt += 1) {
    const owner = scope.locks.open()
    try {
      return await transact(scope, owner, work)
    } catch (error) {
      if (!owner.gaveWay || attempt === mostAttempts) throw error
    } finally {
      owner.end()
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const storageOf = (scope: Scope): Storage => ({
  outlivesProcess: false,
  table: <Kind extends RowKind>(kind: Kind) => plainTable(kind, scope) as unknown as Table<Kind>,
  async transaction(work) {
    scope.check()
    if (scope.owner !== undefined) return transact(scope, scope.owner, work)
    return repeated(scope, work)
  },
  async close() {},
})

/** Keeps rows in the memory of this process until it ends. This is for tests, examples and trials. */
export const memoryStorage = (): Storage => storageOf({ space: committedRows(), locks: rowLocks(), check() {} })
