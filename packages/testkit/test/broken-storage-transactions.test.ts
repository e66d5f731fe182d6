import { memoryStorage, type Storage } from '@habeas/core'
import { storageContract } from '@habeas/testkit'
import { describe } from 'vitest'
import { foundOut } from './failing-cases.js'
import { type AnyTable, upsert, withTables } from './faulty-storage.js'

const faultyTransaction =
  (transaction: (storage: Storage, work: (inside: Storage) => Promise<never>) => Promise<never>) => () => {
    const storage = memoryStorage()
    return {
      ...storage,
      transaction: (work: (inside: Storage) => Promise<never>) => transaction(storage, work),
    } as Storage
  }

const kinds = ['checkpoint', 'dataset'] as const

/** Works on a copy and writes it back whole: what was committed meanwhile is overwritten. */
const lastOneWins = faultyTransaction(async (storage, work) => {
  const copy = memoryStorage()
  for (const kind of kinds) await copy.table(kind).insertMany((await storage.table(kind).find()) as never)
  const result = await work(copy)
  for (const kind of kinds) {
    const table = storage.table(kind) as unknown as AnyTable
    for (const row of await copy.table(kind).find()) await upsert(table, row as never)
  }
  return result
})

const flatInside = (storage: Storage): Storage => ({ ...storage, transaction: (work) => work(flatInside(storage)) })

/** As a database does whose driver does not set savepoints. */
const spoiltByConflicts = faultyTransaction((storage, work) => {
  let spoilt = false
  return storage.transaction(async (inside) => {
    const result = await work(
      withTables(inside, (table) => ({
        insert: (row) =>
          table.insert(row).catch((error) => {
            spoilt = true
            throw error
          }),
      })),
    )
    if (spoilt) throw new Error('current transaction is aborted')
    return result
  })
})

describe('storageContract, on transactions', () => {
  foundOut(storageContract, [
    [
      'runs work without a transaction',
      faultyTransaction((storage, work) => work(storage)),
      'a transaction whose work rejects leaves no write behind',
      'no other reader sees a write before its transaction has ended',
    ],
    [
      'never commits',
      faultyTransaction(async (storage, work) => {
        let result: never
        await storage
          .transaction(async (inside) => {
            result = await work(inside)
            throw new Error('rolled back')
          })
          .catch(() => {})
        return result!
      }),
      'a transaction applies all writes of its work and gives its result',
    ],
    [
      'swallows what work rejects with',
      faultyTransaction((storage, work) => storage.transaction(work).catch(() => undefined as never)),
      'a transaction whose work rejects leaves no write behind',
    ],
    [
      'reads past the writes of work',
      faultyTransaction((storage, work) =>
        storage.transaction((inside) =>
          work({ ...inside, table: (kind) => ({ ...inside.table(kind), find: storage.table(kind).find }) }),
        ),
      ),
      'work sees its own writes',
    ],
    [
      'lets the last transaction win',
      lastOneWins,
      'of two transactions that replace one version exactly one does',
      'a replace outside waits for a transaction that holds the row',
    ],
    [
      'has no transactions inside others',
      faultyTransaction((storage, work) => storage.transaction((inside) => work(flatInside(inside)))),
      'a transaction inside another rolls back alone, and with the outer one',
    ],
    [
      'gives up a transaction after a conflict',
      spoiltByConflicts,
      'a conflict that work catches does not spoil its transaction',
    ],
    [
      'takes outside of its transaction',
      faultyTransaction((storage, work) =>
        storage.transaction((inside) =>
          work({ ...inside, table: (kind) => ({ ...inside.table(kind), take: storage.table(kind).take }) }),
        ),
      ),
      'a row taken by a transaction that rolls back can be taken again',
    ],
    [
      'leaves it to work to hear of a deadlock',
      faultyTransaction((storage, work) => {
        let first: Promise<unknown> | undefined
        return storage.transaction((inside) => {
          // Its second time around is not given.
          if (first !== undefined) return first as Promise<never>
          first = work(inside)
          return first as Promise<never>
        })
      }),
      'transactions that wait for each other all end, each applied once',
      'a transaction that had to give way is run again even if its work caught the error and went on',
    ],
    [
      'inserts several rows one by one',
      faultyTransaction((storage, work) =>
        storage.transaction((inside) =>
          work(
            withTables(inside, (table) => ({
              insertMany: async (rows) => {
                for (const row of rows) await table.insert(row)
              },
            })),
          ),
        ),
      ),
      'rows that could not be inserted together do not spoil a transaction',
    ],
    [
      'takes the last insert of an id for good',
      faultyTransaction((storage, work) =>
        storage.transaction((inside) => work(withTables(inside, (table) => ({ insert: (row) => upsert(table, row) })))),
      ),
      'of two transactions that insert one id exactly one succeeds, and the other rejects',
    ],
    [
      'replaces whatever the version',
      faultyTransaction((storage, work) =>
        storage.transaction((inside) =>
          work(withTables(inside, (table) => ({ replace: (row) => upsert(table, row).then(() => true) }))),
        ),
      ),
      'no write is lost among many that read, count up and replace',
    ],
    [
      'lets work go on behind its transaction',
      faultyTransaction((storage, work) => storage.transaction(() => work(storage))),
      'what a transaction gave its work refuses to do more once it has ended',
    ],
    [
      'takes by reading',
      faultyTransaction((storage, work) =>
        storage.transaction((inside) => work(withTables(inside, (table) => ({ take: (id) => table.get(id) })))),
      ),
      'of two transactions that take one row exactly one has it',
    ],
    [
      'gives up when many transactions run',
      () => {
        const storage = memoryStorage()
        let running = 0
        const transaction: Storage['transaction'] = async (work) => {
          running += 1
          try {
            if (running > 10) throw new Error('too many clients already')
            return await storage.transaction(work)
          } finally {
            running -= 1
          }
        }
        return { ...storage, transaction }
      },
      'many transactions at the same time all end, each applied once',
    ],
  ])
})
