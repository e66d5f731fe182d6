import { memoryStorage, type Storage } from '@habeas/core'
import { storageContract } from '@habeas/testkit'
import { describe } from 'vitest'
import { writeAll } from '../../core/src/actions/write-all.js'
import { foundOut } from './failing-cases.js'

const faulty = (fault: (storage: Storage) => Pick<Storage, 'writeAll' | 'findAll'>) => () => {
  const storage = memoryStorage()
  return { ...storage, ...fault(storage) }
}

const everyCase = [
  'writeAll applies writes of every kind, and put counts versions on',
  'writeAll writes nothing when its replace finds another version',
  'writeAll names the kind of a row whose id is taken, and writes nothing',
  'of several writeAll with one replace exactly one writes',
  'findAll returns the rows of each query, in the order of the query',
] as const

describe('storageContract, on what is written and asked together', () => {
  foundOut(storageContract, [
    [
      'forgets what was to be taken',
      faulty((storage) => ({
        writeAll: (writes) =>
          writeAll(
            storage,
            writes.filter((write) => !('take' in write)),
          ),
      })),
      everyCase[0],
    ],
    [
      'writes one after the other',
      faulty((storage) => ({
        async writeAll(writes) {
          let written = true
          for (const write of writes) written = (await writeAll(storage, [write])) && written
          return written
        },
      })),
      everyCase[1],
      everyCase[2],
      everyCase[3],
    ],
    [
      'asks its queries in another order',
      faulty((storage) => ({
        findAll: (queries) =>
          Promise.all(queries.map(({ kind, orderBy: _, ...query }) => storage.table(kind).find(query as never))),
      })),
      everyCase[4],
    ],
  ])
})
