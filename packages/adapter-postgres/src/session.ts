import { once } from 'node:events'
import type { SqlSession } from '@habeas/sql'
import { requestCancel } from './cancel-request.js'
import type { ClientSettings } from './client-settings.js'
import { withEncodedKeys } from './key-array.js'
import { openCursor } from './row-cursor.js'
import { openBatch } from './statement-batch.js'
import { syncNow, type WireClient } from './wire.js'

/** How long the end of a session waits for the server's last word. */
const lastWordMs = 1_000

/** Makes a session of a client that has logged in. */
export function sessionOf(client: WireClient, settings: ClientSettings): SqlSession {
  return {
    openCursor: (statement, options) => openCursor(client, withEncodedKeys(statement), options),
    openBatch: (statements, options) => openBatch(client, statements.map(withEncodedKeys), options),
    // without a listener, a server that closes the connection would end this process
    onGone: (listener) => void client.on('error', listener).on('end', listener),
    ref: () => client.ref(),
    unref: () => client.unref(),
    cancel: () => requestCancel(settings, client),
    async end() {
      // the driver breaks off a connection that it believes to be in the middle of a statement
      if (syncNow(client.connection))
        await once(client.connection, 'readyForQuery', { signal: AbortSignal.timeout(lastWordMs) }).catch(() => {})
      await client.end()
    },
    destroy: () => void client.connection.stream.destroy(),
  }
}
