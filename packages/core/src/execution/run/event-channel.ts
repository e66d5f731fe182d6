import type { RequestStatus } from '../../model/privacy-request.js'
import type { Emit, PrivacyEvent } from './request-progress.js'

export interface EventChannel {
  readonly emit: Emit
  /** Hears of every event from now on. Returns the function that ends it. */
  readonly on: (listener: (event: PrivacyEvent) => void) => () => void
}

/** Passes events on to the listeners of this process. */
export function eventChannel(): EventChannel {
  const listeners = new Set<(event: PrivacyEvent) => void>()
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch {
          // A listener is a guest: what it does must not reach the run.
        }
      }
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Calls back whenever a request changes its status. Returns the function that ends it. */
export function onStatus(
  { on }: Pick<EventChannel, 'on'>,
  id: string,
  changed: (status: RequestStatus) => void,
): () => void {
  return on((event) => {
    if (event.type === 'request' && event.requestId === id) changed(event.status)
  })
}
