import type { Socket } from 'node:net'

/** Into how many looks the time is divided. Silence is noticed at most one look late. */
const looks = 8

/**
 * Calls `onStall` when the socket has received no byte for `afterMs`. Time in which the socket is paused does not count.
 * The server's own statement timeout would count it, and would end a long read that makes good progress.
 */
export function watchProgress(socket: Socket, afterMs: number, onStall: () => void): { end(): void } {
  let seen = socket.bytesRead
  let wasPaused = false
  let silentLooks = 0
  let ended = false
  const look = () => {
    if (ended) return
    const isPaused = socket.isPaused()
    const waits = !isPaused && !wasPaused && socket.bytesRead === seen
    wasPaused = isPaused
    seen = socket.bytesRead
    silentLooks = waits ? silentLooks + 1 : 0
    if (silentLooks === looks) onStall()
    else timer.refresh()
  }
  // a process that was busy itself first reads what has arrived meanwhile
  const timer = setTimeout(() => setImmediate(look), afterMs / looks)
  timer.unref()
  return {
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
