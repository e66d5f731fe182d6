import type { Connector } from '@habeas/core'

/** A call that begins, or that has ended well. `try` is a write that is rolled back. */
export interface WatchedCall {
  readonly what: 'read' | 'erase' | 'try'
  readonly key: string
  readonly collection: string
  readonly when: 'begins' | 'ended'
}

/** A connector that tells of each read and each write. */
export function watchedConnector(connector: Connector, key: string, tell: (call: WatchedCall) => void): Connector {
  return {
    ...connector,
    async connect(...given) {
      const connection = await connector.connect(...given)
      const { erase } = connection
      return {
        ...connection,
        async *read(read, options) {
          const call = { what: 'read' as const, key, collection: read.collection }
          tell({ ...call, when: 'begins' })
          yield* connection.read(read, options)
          tell({ ...call, when: 'ended' })
        },
        ...(erase && {
          async erase(batch, options) {
            const call = {
              what: options?.rollBack ? ('try' as const) : ('erase' as const),
              key,
              collection: batch.collection,
            }
            tell({ ...call, when: 'begins' })
            await erase(batch, options)
            tell({ ...call, when: 'ended' })
          },
        }),
      }
    },
  }
}
