import type { SqlSession } from '@habeas/sql'
import { requestCancel } from './cancel-request.js'
import type { ClientSettings } from './client-settings.js'
import { withEncodedKeys } from './key-array.js'
import { openCursor } from './row-cursor.js'
import { openBatch } from './statement-batch.js'
import type { WireClient } from './wire.js'

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
    end: () => client.end(),
    destroy: () => void client.connection.stream.destroy(),
  }
}
