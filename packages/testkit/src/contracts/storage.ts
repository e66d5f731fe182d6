import type { Storage } from '@habeas/core'
import type { Test } from '../test.js'
import type { Open } from './opened-case.js'
import { storageConcurrencyContract } from './storage-concurrency.js'
import { storageQueriesContract } from './storage-queries.js'
import { storageRowsContract } from './storage-rows.js'
import { storageTogetherContract } from './storage-together.js'
import { storageTransactionsContract } from './storage-transactions.js'
import { storageVersionsContract } from './storage-versions.js'

/**
 * Declares a test for each promise of the `Storage` port. `open` gives an empty storage that no other case uses; each
 * case closes its own.
 */
export const storageContract = (test: Test, open: Open<Storage>): void => {
  storageRowsContract(test, open)
  storageVersionsContract(test, open)
  storageQueriesContract(test, open)
  storageTransactionsContract(test, open)
  storageConcurrencyContract(test, open)
  storageTogetherContract(test, open)
}
