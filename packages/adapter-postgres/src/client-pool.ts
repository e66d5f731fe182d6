import { closedFailure } from './connection-failure.js'
import type { WireClient } from './wire.js'

/** A few clients of one server, opened when needed and closed when idle for long. */
export interface ClientPool {
  /** A client for the caller alone, until it is released or discarded. Waits while all are in use. */
  acquire(signal?: AbortSignal): Promise<WireClient>
  /** Gives back a client that has nothing left to do. */
  release(client: WireClient): void
  /** Gives back a client in an unknown state: its socket is destroyed. */
  discard(client: WireClient): void
  /** Closes every client, in use or not; who waits is refused. */
  close(): Promise<void>
}

/** How a pool opens its clients, how many, and how long they may idle. */
export interface ClientPoolOptions {
  readonly open: () => Promise<WireClient>
  readonly size: number
  readonly idleMs: number
}

interface Waiter {
  readonly resolve: (client: WireClient) => void
  readonly reject: (error: unknown) => void
}

/**
 * Not `pg.Pool`: there, waiting for a busy client counts as failing to connect, and a client that only awaits the last
 * word of its server is passed over for the cost of opening another.
 */
export function createClientPool({ open, size, idleMs }: ClientPoolOptions): ClientPool {
  const clients = new Set<WireClient>()
  const idle = new Map<WireClient, NodeJS.Timeout>()
  const openings = new Set<Promise<void>>()
  let waiters: Waiter[] = []
  let closed = false

  const remove = (client: WireClient) => {
    clearTimeout(idle.get(client))
    idle.delete(client)
    if (clients.delete(client)) grow()
  }
  const hand = (client: WireClient) => {
    const waiter = waiters.shift()
    if (waiter) {
      waiter.resolve(client)
      return
    }
    // an idle client neither keeps the process alive nor stays for ever
    client.unref()
    idle.set(
      client,
      setTimeout(() => {
        remove(client)
        void client.end()
      }, idleMs).unref(),
    )
  }
  const grow = () => {
    if (closed || waiters.length <= openings.size || clients.size + openings.size >= size) return
    const opening = open().then(
      (client) => {
        openings.delete(opening)
        // without a listener, a server that goes away would end this process
        client.on('error', () => remove(client)).on('end', () => remove(client))
        clients.add(client)
        if (closed) return client.end()
        return hand(client)
      },
      (error) => {
        openings.delete(opening)
        // while other clients live, one of them will serve who waits
        if (clients.size > 0) return
        const refused = waiters
        waiters = []
        for (const { reject } of refused) reject(error)
      },
    )
    openings.add(opening)
    grow()
  }

  return {
    acquire(signal) {
      if (closed) return Promise.reject(closedFailure())
      const [client, timer] = [...idle].at(-1) ?? []
      if (client) {
        clearTimeout(timer)
        idle.delete(client)
        client.ref()
        return Promise.resolve(client)
      }
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiters = waiters.filter((other) => other !== waiter)
          reject(signal?.reason)
        }
        const waiter: Waiter = {
          resolve(client) {
            signal?.removeEventListener('abort', leave)
            resolve(client)
          },
          reject(error) {
            signal?.removeEventListener('abort', leave)
            reject(error)
          },
        }
        signal?.addEventListener('abort', leave, { once: true })
        waiters.push(waiter)
        grow()
      })
    },
    release(client) {
      if (clients.has(client)) hand(client)
    },
    discard(client) {
      client.connection.stream.destroy()
      remove(client)
    },
    async close() {
      closed = true
      const refused = waiters
      waiters = []
      for (const { reject } of refused) reject(closedFailure())
      const open = [...clients]
      const ends = open.map((client) => {
        // whoever waits for the end must not see the process end first
        client.ref()
        return idle.has(client) ? client.end() : void client.connection.stream.destroy()
      })
      for (const client of open) remove(client)
      await Promise.all([...ends, ...openings])
    },
  }
}
