import { closedFailure } from './connection-failure.js'
import type { SqlSession } from './driver.js'

/** A few sessions with one server. They are opened when needed, and closed when they have been idle for long. */
export interface SessionPool {
  /** Gives the caller a session of its own, until it is released or discarded. Waits while all are in use. */
  acquire(signal?: AbortSignal): Promise<SqlSession>
  /** Takes back a session that has nothing left to do. */
  release(session: SqlSession): void
  /** Takes back a session in an unknown state, and destroys its socket. */
  discard(session: SqlSession): void
  /** Closes every session, even those in use, and refuses every caller that waits. */
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
 * Creates a pool. A pool of the driver would not do: to `pg.Pool`, waiting for a busy session counts as failing to connect,
 * and it opens another session while one only waits for the last message of its server.
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
    // an idle session does not keep the process alive, and does not stay for ever
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
        // while there are other sessions, one of them will serve the caller that waits
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
        // The process must not end before the session has, because somebody waits for that.
        session.ref?.()
        return idle.has(session) ? session.end() : void session.destroy()
      })
      for (const session of open) remove(session)
      await Promise.all([...ends, ...openings])
    },
  }
}
