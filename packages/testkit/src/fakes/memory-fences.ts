import { type Fence, PrivacyError } from '@habeas/core'

/** Writes that wait for the word of their fence, by lock. */
export const memoryFences = () => {
  const waiting = new Map<string, Set<AbortController>>()
  return {
    /** Resolves when the worker is confirmed. Rejects when it is not, or when a later worker has ended its write. */
    async confirmed(fence: Fence, closing: AbortSignal): Promise<void> {
      const write = new AbortController()
      const writes = waiting.get(fence.lock) ?? new Set()
      waiting.set(fence.lock, writes.add(write))
      try {
        await fence.confirm()
        write.signal.throwIfAborted()
        closing.throwIfAborted()
      } finally {
        writes.delete(write)
      }
    },
    end(lock: string): void {
      const ended = new PrivacyError('connection_failed', 'A later worker ended the session', { reason: 'other' })
      for (const write of waiting.get(lock) ?? []) write.abort(ended)
    },
  }
}
