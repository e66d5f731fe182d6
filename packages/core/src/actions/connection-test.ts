import { type Abortable, withinSeconds } from '../async/within-seconds.js'
import { connectionTypes } from '../model/connection.js'
import type { Connection } from '../ports/connector.js'
import type { ActionContext } from './action-context.js'
import { checkConnection } from './connections/checked-connection.js'
import { changeConnection, needConnection } from './connections/connection-rows.js'
import type { ConnectionSecrets, ConnectionSource } from './connections/connection-secrets.js'
import { shownReason } from './connections/without-secrets.js'
import { notDone } from './not-done.js'

/** The result of a test of a connection. A failed test is a value, not an error. */
export interface ConnectionTestResult {
  readonly msg: string
  /** `skipped`: there is nothing to connect to. Null: no test was asked for. */
  readonly testStatus: 'succeeded' | 'failed' | 'skipped' | null
  /** How to fix it. Never holds a secret. */
  readonly failureReason: string | null
}

/** Asks the database something trivial, in bounded time, and stores the result with the connection. */
export function connectionTest(context: ActionContext, secrets: ConnectionSecrets) {
  const { storage, runtime, options } = context

  async function failureOf(key: string, connectionType: string, interest: Abortable): Promise<string | null> {
    let opened: unknown
    try {
      const source = await secrets.source(key)
      opened = await source.secrets()
      await withinSeconds(options.connectionTestSeconds, (signal) => ping(source.connector, opened, signal), interest)
      return null
    } catch (error) {
      // The caller has left, and the test has no result.
      interest.signal?.throwIfAborted()
      notDone(context, 'connection', `test '${key}'`)(error)
      const otherwise = `The connector for ${connectionType} failed in a way it does not explain: check the secrets of '${key}', and that the server can be reached from here.`
      return shownReason(error, otherwise, opened, [connectionType, key])
    }
  }

  return async (key: string, interest: Abortable = {}): Promise<Omit<ConnectionTestResult, 'msg'>> => {
    const { connectionType } = await needConnection(storage, key)
    if (connectionTypes.some((listed) => listed.type === connectionType && listed.category === 'manual')) {
      return { testStatus: 'skipped', failureReason: null }
    }
    const failureReason = await failureOf(key, connectionType, interest)
    const lastTest = { lastTestAt: runtime.now().toISOString(), lastTestSucceeded: failureReason === null }
    await changeConnection(storage, key, (row) => ({ ...row, ...lastTest }))
    return { testStatus: failureReason === null ? 'succeeded' : 'failed', failureReason }
  }
}

/** Opens, asks and closes. A connection that opens too late is closed as well. */
async function ping(connector: ConnectionSource['connector'], secrets: unknown, signal: AbortSignal): Promise<void> {
  const connection = await connector.connect(secrets)
  try {
    checkConnection(connection, connector)
    signal.throwIfAborted()
    await connection.ping({ signal })
  } finally {
    close(connection)
  }
}

/** The server's answer counts, however long closing takes. */
function close(connection: Connection): void {
  void (async () => connection.close())().catch(() => undefined)
}
