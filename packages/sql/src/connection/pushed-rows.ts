import { rowBytes } from './row-bytes.js'

/** What a driver tells of the rows that it pushes, once its statement was started. */
export interface RowReceiver {
  row(row: readonly unknown[]): void
  /** Rows that came before are still given. */
  end(error?: unknown): void
}

/** A statement whose rows are coming. */
export interface RowSender {
  pause(): void
  /** MUST do no harm where nothing is paused. */
  resume(): void
}

/** Rows are held until they are this many bytes. The driver may push the rest of what it has received already. */
const mostBytes = 64 * 1024

/** Returns the rows of a driver that pushes them one by one, as many at a time as have come. It is paused where the reader is slow. */
export async function* pushedRows(
  start: (receiver: RowReceiver) => RowSender,
): AsyncGenerator<readonly (readonly unknown[])[], void, undefined> {
  let held: (readonly unknown[])[] = []
  let bytes = 0
  let ended: { readonly error?: unknown } | undefined
  let dropped = false
  let isPaused = false
  let wake: () => void = () => {}
  const sender = start({
    row(row) {
      if (dropped) return
      held.push(row)
      bytes += rowBytes(row)
      if (bytes >= mostBytes && !isPaused) {
        isPaused = true
        sender.pause()
      }
      // to settle a promise again costs as much as to read a row
      if (held.length === 1) wake()
    },
    end(error) {
      ended ??= error === undefined ? {} : { error }
      wake()
    },
  })
  const resume = () => {
    if (!isPaused) return
    isPaused = false
    sender.resume()
  }
  try {
    for (;;) {
      if (held.length > 0) {
        const rows = held
        held = []
        bytes = 0
        yield rows
        continue
      }
      if (ended) break
      resume()
      await new Promise<void>((resolve) => {
        wake = resolve
        // resuming may have pushed what the driver held back
        if (held.length > 0 || ended) resolve()
      })
    }
    if (ended.error !== undefined) throw ended.error
  } finally {
    dropped = true
    held = []
    resume()
  }
}
