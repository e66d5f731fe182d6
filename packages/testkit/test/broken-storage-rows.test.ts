import { memoryStorage, type Storage } from '@habeas/core'
import { storageContract } from '@habeas/testkit'
import { describe } from 'vitest'
import { foundOut } from './failing-cases.js'
import { type AnyRow, faulty, upsert, withTables } from './faulty-storage.js'

const turn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve)
  })

const byReference = (): Storage => {
  const rows = new Map<string, AnyRow>()
  return withTables(memoryStorage(), (table) => ({
    insert: async (row) => {
      await table.insert(row)
      rows.set(row.id, row)
    },
    get: async (id) => rows.get(id),
  }))
}

const withoutRow = (): never => {
  throw new Error('no such row')
}

describe('storageContract, on rows and versions', () => {
  foundOut(storageContract, [
    [
      'ignores versions in replace',
      faulty((table) => ({ replace: (row) => upsert(table, row).then(() => true) })),
      'replace returns false and writes nothing when the stored version is another one',
      'replace returns false and inserts nothing when there is no such row',
      'of several replaces of one version at the same time exactly one writes',
    ],
    [
      'compares versions before it writes, not while it writes',
      faulty((table) => ({
        replace: async (row) => {
          if ((await table.get(row.id))?.version !== row.version - 1) return false
          await turn()
          await upsert(table, row)
          return true
        },
      })),
      'of several replaces of one version at the same time exactly one writes',
      'a row that is replaced and taken at the same time is gone in the end',
    ],
    [
      'merges in replace',
      faulty((table) => ({
        replace: async (row) => {
          const old = (await table.get(row.id)) as { state?: object } | undefined
          const state = { ...old?.state, ...(row as { state?: object }).state }
          return table.replace({ ...row, state } as never)
        },
      })),
      'replace writes the row as a whole: members left out are gone',
    ],
    [
      'writes in replace but says it did not',
      faulty((table) => ({ replace: (row) => table.replace(row).then(() => false) })),
      'replace writes the next version and returns true',
    ],
    [
      'hands a row out twice in take',
      faulty((table) => ({
        take: async (id) => {
          const row = await table.get(id)
          await turn()
          await table.take(id)
          return row
        },
      })),
      'take hands a row to exactly one caller',
    ],
    [
      'keeps what was taken',
      faulty((table) => ({ take: (id) => table.get(id) })),
      'an id that was taken may be inserted again',
    ],
    [
      'fails in take when there is no row',
      faulty((table) => ({ take: async (id) => (await table.take(id)) ?? withoutRow() })),
      'take deletes and returns the row, and gives undefined when there is none',
    ],
    [
      'overwrites in insert',
      faulty((table) => ({ insert: (row) => upsert(table, row) })),
      'insert rejects with conflict when the id is taken, leaving the stored row as it is',
    ],
    [
      'looks for the id before it inserts, not while it inserts',
      faulty((table) => ({
        insert: async (row) => {
          if ((await table.get(row.id)) !== undefined) throw new Error('taken')
          await turn()
          await table.insert(row).catch(() => {})
        },
      })),
      'of several inserts of one id at the same time exactly one succeeds',
    ],
    [
      'inserts many rows one by one',
      faulty((table) => ({
        insertMany: async (rows) => {
          for (const row of rows) await table.insert(row)
        },
      })),
      'insertMany inserts none when one id is taken',
      'insertMany inserts none when an id comes twice',
    ],
    [
      'shares rows with its callers',
      byReference,
      'changing a row that went in does not change what is stored',
      'changing a row that came out does not change what is stored',
    ],
    [
      'keeps all kinds in one table',
      () => {
        const storage = memoryStorage()
        return { ...storage, table: () => storage.table('dataset') as never }
      },
      'every row kind has a table of its own',
    ],
    [
      'loses characters it cannot store',
      faulty((table) => ({ insert: (row) => table.insert(JSON.parse(JSON.stringify(row).replaceAll('\\u0000', ''))) })),
      'text that is not well-formed is kept as it is, or refused and nothing kept',
    ],
    [
      'compares ids without case',
      faulty((table) => ({ get: (id) => table.get(id.toLowerCase()) })),
      'get gives the row that was inserted, and undefined for any other id',
    ],
    [
      'closes only once',
      () => {
        const storage = memoryStorage()
        let closed = false
        const close = async () => {
          if (closed) throw new Error('closed already')
          closed = true
        }
        return { ...storage, close }
      },
      'close may be called twice',
    ],
    [
      'loses the last of many rows',
      faulty((table) => ({ insertMany: (rows) => table.insertMany(rows.slice(0, 999)) })),
      'insertMany inserts all rows',
    ],
    [
      'fails to insert no rows',
      faulty((table) => ({
        insertMany: async (rows) => {
          if (rows.length === 0) throw new Error('syntax error at end of input')
          await table.insertMany(rows)
        },
      })),
      'insertMany of no rows does nothing',
    ],
  ])
})
