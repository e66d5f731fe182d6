import { closedFailure } from './connection-failure.js'
import type { SqlSession } from './driver.js'

/** A few sessions with one server, opened when needed and closed when idle for long. */
export interface SessionPool {
  /** A session for the caller alone, until it is released or discarded. Waits while all are in use. */
  acquire(signal?: AbortSignal): Promise<SqlSession>
  /** Gives back a session that has nothing left to do. */
  release(session: SqlSession): void
  /** Gives back a session in an unknown state: its socket is destroyed. */
  discard(session: SqlSession): void
  /** Closes every session, in use or not; who waits is refused. */
  close(): Promise<void>
}

/** How a pool opens its sessions, how many, and how long they may idle. */
export interface SessionPoolOptions {
  readonly open: () => Promise<SqlSession>
  readonly size: number
  readonly idleMs: number
}

interface Waiter {
  readonly resolve: (session: SqlSession) => void
  readonly reject: (error: unknown) => void
}

/**
 * Not a pool of the driver, such as `pg.Pool`: there, waiting for a busy session counts as failing to connect, and a session
 * that only awaits the last word of its server is passed over for the cost of opening another.
 */
export function createSessionPool({ open, size, idleMs }: SessionPoolOptions): SessionPool {
  const sessions = new Set<SqlSession>()
  const idle = new Map<SqlSession, NodeJS.Timeout>()
  const openings = new Set<Promise<void>>()
  let waiters: Waiter[] = []
  let closed = false

  const remove = (session: SqlSession) => {
    clearTimeout(idle.get(session))
    idle.delete(session)
    if (sessions.delete(session)) grow()
  }
  const hand = (session: SqlSession) => {
    const waiter = waiters.shift()
    if (waiter) {
      waiter.resolve(session)
      return
    }
    // an idle session neither keeps the process alive nor stays for ever
    session.unref?.()
    idle.set(
      session,
      setTimeout(() => {
        remove(session)
        void session.end()
      }, idleMs).unref(),
    )
  }
  const grow = () => {
    if (closed || waiters.length <= openings.size || sessions.size + openings.size >= size) return
    const opening = open().then(
      (session) => {
        openings.delete(opening)
        session.onGone(() => remove(session))
        sessions.add(session)
        if (closed) return session.end()
        return hand(session)
      },
      (error) => {
        openings.delete(opening)
        // while other sessions live, one of them will serve who waits
        if (sessions.size > 0) return
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
      const [session, timer] = [...idle].at(-1) ?? []
      if (session) {
        clearTimeout(timer)
        idle.delete(session)
        session.ref?.()
        return Promise.resolve(session)
      }
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiters = waiters.filter((other) => other !== waiter)
          reject(signal?.reason)
        }
        const waiter: Waiter = {
          resolve(session) {
            signal?.removeEventListener('abort', leave)
            resolve(session)
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
    release(session) {
      if (sessions.has(session)) hand(session)
    },
    discard(session) {
      session.destroy()
      remove(session)
    },
    async close() {
      closed = true
      const refused = waiters
      waiters = []
      for (const { reject } of refused) reject(closedFailure())
      const open = [...sessions]
      const ends = open.map((session) => {
        // Who waits for the end must not see the process end first.
        session.ref?.()
        return idle.has(session) ? session.end() : void session.destroy()
      })
      for (const session of open) remove(session)
      await Promise.all([...ends, ...openings])
    },
  }
}
