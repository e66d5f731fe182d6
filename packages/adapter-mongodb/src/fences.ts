import { setTimeout as delay } from 'node:timers/promises'
import type { Fence } from '@habeas/core'
import type { ClientSession, Collection } from 'mongodb'
import { failure } from './connection-failure.js'
import { durable } from './durable.js'
import { codeOf, isConflict } from './mongo-failures.js'

/** One for each erasure. `ended` counts how often a worker took it over. */
export interface FenceDocument {
  readonly _id: string
  readonly ended: number
  readonly written?: number
  readonly at: Date
}

/** Longer than a server lets a transaction live by default, so that a worker that stands still has lost its own. */
const patienceMs = 70_000

/**
 * Keeps transactions of a worker that was overtaken from committing. Such a transaction writes the document of its fence
 * as the last thing before it commits, and only while `ended` is what it was before the transaction began. The worker that
 * takes over counts `ended` up first. Either that comes before: then the write finds another number, or the server ends the
 * transaction because of the conflict. Or it comes after: then it waits until the transaction has ended.
 */
export function fences(collection: Collection<FenceDocument>, writeTimeoutMs: number) {
  const maxTimeMS = writeTimeoutMs
  const writeConcern = durable(writeTimeoutMs)
  const endedOf = async (lock: string): Promise<number | undefined> =>
    (await collection.findOne({ _id: lock }, { readConcern: { level: 'majority' }, maxTimeMS }))?.ended

  /** What `ended` is before a transaction begins. The document exists afterwards. */
  async function begun(lock: string): Promise<number> {
    const ended = await endedOf(lock)
    if (ended !== undefined) return ended
    const made = { $setOnInsert: { ended: 0, at: new Date() } }
    await collection.updateOne({ _id: lock }, made, { upsert: true, writeConcern, maxTimeMS }).catch(unlessThere)
    return (await endedOf(lock)) ?? 0
  }

  /** Writes the fence inside a transaction. Rejects as `confirm` does, or says that the erasure was taken over. */
  async function pass(fence: Fence, ended: number, session: ClientSession): Promise<void> {
    const { lock } = fence
    try {
      const written = { $inc: { written: 1 }, $set: { at: new Date() } }
      const { matchedCount } = await collection.updateOne({ _id: lock, ended }, written, { session, maxTimeMS })
      if (matchedCount === 1) return
    } catch (error) {
      // another batch of the same worker conflicts as well
      if (!isConflict(error) || (await endedOf(lock)) === ended) throw error
    }
    await fence.confirm()
    throw failure('other', 'Another worker has taken this erasure over: this batch was not written.')
  }

  /** Resolves when no transaction that began before can commit any more. */
  async function end(lock: string, signal: AbortSignal): Promise<void> {
    for (const until = performance.now() + patienceMs; ; ) {
      signal.throwIfAborted()
      try {
        const taken = { $inc: { ended: 1 }, $set: { at: new Date() } }
        await collection.updateOne({ _id: lock }, taken, { upsert: true, writeConcern, maxTimeMS: 5_000 })
        return
      } catch (error) {
        const isHeld = isConflict(error) || [50, 24, 11_000].includes(codeOf(error) ?? 0)
        if (!isHeld) throw error
        if (performance.now() > until) {
          const message =
            'An earlier worker of the same request still writes: end its session at the server, or retry later.'
          throw failure('lock_timeout', message, error, 'transient')
        }
        await delay(100)
      }
    }
  }

  return { begun, pass, end }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 11_000) throw error
}
