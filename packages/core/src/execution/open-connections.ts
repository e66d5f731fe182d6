import type { Catalogue } from '../model/catalogue.js'
import type { Connection, Connector } from '../ports/connector.js'

/** A connection in use, with the catalogue it describes and a bound on what runs at once. */
export interface OpenConnection {
  readonly key: string
  readonly connection: Connection
  readonly connector: Connector
  /** The live catalogue, remembered for a while; `fresh` asks again. */
  catalogue(options?: { fresh?: boolean }): Promise<Catalogue>
  /** Waits for one of the connection's places. Resolves to the function that gives it back. */
  place(signal: AbortSignal): Promise<() => void>
}

export interface ConnectionSource {
  /** Changes whenever the connection must be opened anew. */
  readonly revision: string
  readonly connector: Connector
  secrets(): Promise<unknown>
}

/** Keeps connections open between requests, one per key, until their secrets change or the service closes. */
export function openConnections(options: {
  source(key: string): Promise<ConnectionSource>
  catalogueSeconds: number
  now(): Date
}) {
  const open = new Map<string, { revision: string; opening: Promise<OpenConnection> }>()
  const forget = async (key: string) => {
    const held = open.get(key)
    open.delete(key)
    const closing = await held?.opening.catch(() => undefined)
    await closing?.connection.close()
  }
  return {
    async get(key: string): Promise<OpenConnection> {
      const source = await options.source(key)
      const held = open.get(key)
      if (held?.revision === source.revision) return held.opening
      if (held) void forget(key)
      const opening = begin(key, source)
      open.set(key, { revision: source.revision, opening })
      opening.catch(() => open.get(key)?.opening === opening && open.delete(key))
      return opening
    },
    forget,
    async close() {
      await Promise.all([...open.keys()].map(forget))
    },
  }

  async function begin(key: string, source: ConnectionSource): Promise<OpenConnection> {
    const connection = await source.connector.connect(await source.secrets())
    const places = turnstile(connection.concurrency)
    let known: { at: number; catalogue: Promise<Catalogue> } | undefined
    return {
      key,
      connection,
      connector: source.connector,
      place: places,
      catalogue({ fresh = false } = {}) {
        const now = options.now().getTime()
        if (fresh || !known || now - known.at > options.catalogueSeconds * 1000) {
          const catalogue = connection.describe()
          known = { at: now, catalogue }
          catalogue.catch(() => {
            if (known?.catalogue === catalogue) known = undefined
          })
        }
        return known.catalogue
      },
    }
  }
}

export type OpenConnections = ReturnType<typeof openConnections>

/** Lets at most `width` through at a time, in the order they came; who is let through after an abort is sent away. */
function turnstile(width: number) {
  let free = Math.max(1, width)
  const waiting: (() => void)[] = []
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return async (signal: AbortSignal): Promise<() => void> => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    if (signal.aborted) {
      leave()
      throw signal.reason
    }
    let left = false
    return () => {
      if (!left) leave()
      left = true
    }
  }
}
