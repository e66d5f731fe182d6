import type { OpenConnection } from '../connect/open-connections.js'
import type { CollectionToErase } from './erasure-context.js'

/** Whether a batch of the collection takes effect whole or not at all: its database has transactions, and so has its table. */
export function isAtomic({ erasure }: CollectionToErase, { connector }: OpenConnection): boolean {
  return connector.capabilities.transactions !== false && !erasure.writeLimits?.includes('transactions')
}
