import type { Emit, PrivacyEvent } from '../../model/privacy-event.js'
import type { RequestStatus } from '../../model/privacy-request.js'

export interface EventChannel {
  readonly emit: Emit
  /** Adds a listener for every event from now on. Returns the function that removes it. */
  readonly on: (listener: (event: PrivacyEvent) => void) => () => void
}

/** Creates a channel that passes events on to the listeners of this process. */
export function eventChannel(): EventChannel {
  const listeners = new Set<(event: PrivacyEvent) => void>()
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch {
          // The error of a listener must not reach the run.
        }
      }
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Calls back whenever a request changes its status. Returns the function that ends this. */
export function onStatus(
  { on }: Pick<EventChannel, 'on'>,
  id: string,
  changed: (status: RequestStatus) => void,
): () => void {
  return on((event) => {
    if (event.type === 'request' && event.requestId === id) changed(event.status)
  })
}
