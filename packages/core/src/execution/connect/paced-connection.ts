import { setTimeout } from 'node:timers/promises'
import type { Connection } from '../../ports/connector.js'

/** A connection that rests after each batch that it has read or written, so that its server gets to other work. */
export function pacedConnection(connection: Connection, pauseMs: number): Connection {
  const { erase } = connection
  const rest = (options: { readonly signal?: AbortSignal } = {}) =>
    setTimeout(pauseMs, undefined, options).catch(() => {})
  return {
    ...connection,
    get concurrency() {
      return connection.concurrency
    },
    async *read(read, options) {
      for await (const batch of connection.read(read, options)) {
        yield batch
        await rest(options?.signal && { signal: options.signal })
      }
    },
    ...(erase && {
      async erase(batch, options) {
        const erased = await erase.call(connection, batch, options)
        await rest()
        return erased
      },
    }),
  }
}
