import { setMaxListeners } from 'node:events'
import { checkConnection } from '../../actions/connections/checked-connection.js'
import { type Semaphore, semaphore } from '../../async/semaphore.js'
import { untilAborted } from '../../async/until-aborted.js'
import { PrivacyError } from '../../errors.js'
import type { Catalogue } from '../../model/catalogue.js'
import type { Connection, Connector } from '../../ports/connector.js'
import type { LackingCapability } from '../../ports/connector-capabilities.js'
import { connectorFailure, guardedConnection } from './guarded-connection.js'
import { pacedConnection } from './paced-connection.js'
import { spelledConnection } from './spelled-connection.js'
import { timedConnection } from './timed-connection.js'

/** A connection in use, with its catalogue and a bound on the calls that run at once. */
export interface OpenConnection {
  readonly key: string
  readonly connection: Connection
  readonly connector: Connector
  /** The live catalogue, remembered for a while; `fresh` asks again. */
  catalogue(options?: { fresh?: boolean }): Promise<Catalogue>
  /** Waits for one of the connection's permits. Disposing gives it back. */
  permit(signal: AbortSignal): Promise<Disposable>
  /** Places for requests that have calls here. Absent: any number may. */
  readonly requests?: Semaphore
}

export interface ConnectionSource {
  /** Another text when the connection must be opened again. */
  readonly revision: string
  readonly connector: Connector
  secrets(): Promise<unknown>
}

/** How long a connection is used before its secrets are checked again. Other processes may change them as well. */
const checkAgainMs = 1_000

interface Held {
  readonly revision: string
  checkedAt: number
  readonly opening: Promise<OpenConnection & { readonly permits: Semaphore; replaced(): void }>
}

/** Keeps connections open between requests, one per key, until their secrets change or the service closes. */
export function openConnections(options: {
  source(key: string): Promise<ConnectionSource>
  catalogueSeconds: number
  now(): Date
  /** How many requests have calls at one connection at once. Default: any number. */
  maxConcurrentPerConnection?: number | undefined
  /** How long a connection rests after each batch. Default: 0. */
  batchPauseMs?: number | undefined
  /** How long a connection may give no answer. */
  answerMinutes: number
}) {
  const { maxConcurrentPerConnection, batchPauseMs = 0, answerMinutes } = options
  const open = new Map<string, Held>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)

  /**
   * Closes a connection between two of its calls. A run that goes on with it is repeated over the next one. An error of the
   * driver while closing changes nothing any more.
   */
  const retire = async ({ opening }: Held) => {
    try {
      const { permits, connection, replaced } = await opening
      await permits.empty()
      replaced()
      await connection.close()
    } catch {}
  }
  const forget = (key: string): Promise<void> => {
    const held = open.get(key)
    open.delete(key)
    return held ? retire(held) : Promise.resolve()
  }

  /** Opens another connection for the next call. The one that is left may never come to its end. */
  const leave = async (key: string, left: Connection) => {
    const held = open.get(key)
    const { connection } = (await held?.opening) ?? {}
    if (connection === left && open.get(key) === held) await forget(key)
  }

  return {
    async get(key: string): Promise<OpenConnection> {
      const before = open.get(key)
      const now = performance.now()
      if (before && now - before.checkedAt < checkAgainMs) return before.opening
      const source = await options.source(key)
      const held = open.get(key)
      // Another call may have opened the connection again meanwhile. That connection is newer.
      if (held && (held.revision === source.revision || held !== before)) {
        held.checkedAt = Math.max(held.checkedAt, now)
        return held.opening
      }
      if (held) void forget(key)
      const opening = unlessClosed(begin(key, source))
      open.set(key, { revision: source.revision, checkedAt: now, opening })
      opening.catch(() => open.get(key)?.opening === opening && open.delete(key))
      return opening
    },
    forget,
    /** Stops opening and describing connections. Reads go on until `close`. */
    abandon: () => closing.abort(new PrivacyError('unavailable', 'The service was closed.')),
    async close() {
      closing.abort(new PrivacyError('unavailable', 'The service was closed.'))
      await Promise.all([...open.keys()].map(forget))
    },
  }

  async function begin(key: string, source: ConnectionSource) {
    let isReplaced = false
    const connecting = connect(key, source, () => isReplaced)
    // A connection that opens after the service was closed is closed at once.
    void connecting.then((late) => (closing.signal.aborted ? late.close() : undefined)).catch(() => {})
    const connection = await unlessClosed(connecting)
    const permits = semaphore(connection.concurrency)
    const requests = maxConcurrentPerConnection === undefined ? {} : { requests: semaphore(maxConcurrentPerConnection) }
    let known: { at: number; catalogue: Promise<Catalogue> } | undefined
    return {
      key,
      connection,
      get connector() {
        return withoutLacking(source.connector, connection.lacks?.() ?? [])
      },
      permits,
      permit: permits.acquire,
      replaced: () => {
        isReplaced = true
      },
      ...requests,
      catalogue({ fresh = false } = {}) {
        const now = options.now().getTime()
        if (fresh || !known || now - known.at > options.catalogueSeconds * 1000) {
          const describing = connection.describe({ signal: closing.signal })
          const catalogue = unlessClosed(
            source.connector.capabilities.enforcedKeys === false ? describing.then(withoutEnforcedKeys) : describing,
          )
          known = { at: now, catalogue }
          catalogue.catch(() => {
            if (known?.catalogue === catalogue) known = undefined
          })
        }
        return known.catalogue
      },
    }
  }

  async function connect(
    key: string,
    { connector, secrets }: ConnectionSource,
    isReplaced: () => boolean,
  ): Promise<Connection> {
    const opened = await secrets()
    const guard = { type: connector.type, harmless: [key, connector.type], isReplaced }
    try {
      const connection = await connector.connect(opened)
      checkConnection(connection, connector)
      const guarded = guardedConnection(connection, opened, guard)
      const timed = timedConnection(guarded, answerMinutes, () => void leave(key, used))
      const spelled = spelledConnection(timed)
      const used = batchPauseMs > 0 ? pacedConnection(spelled, batchPauseMs) : spelled
      return used
    } catch (error) {
      throw connectorFailure(error, opened, guard)
    }
  }

  /** A database that does not answer must not keep the service from closing. */
  function unlessClosed<Result>(work: Promise<Result>): Promise<Result> {
    return untilAborted(work, closing.signal)
  }
}

export type OpenConnections = ReturnType<typeof openConnections>

/** The connector with the capabilities that this database has. */
function withoutLacking(connector: Connector, lacks: readonly LackingCapability[]): Connector {
  if (lacks.length === 0) return connector
  const lacking = Object.fromEntries(lacks.map((capability) => [capability, false]))
  return { ...connector, capabilities: { ...connector.capabilities, ...lacking } }
}

function withoutEnforcedKeys(catalogue: Catalogue): Catalogue {
  return { ...catalogue, collections: catalogue.collections.map((each) => ({ keysEnforced: false, ...each })) }
}
