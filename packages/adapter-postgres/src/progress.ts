import type { Socket } from 'node:net'

/**
 * Calls `onStall` when the socket has received no byte for `afterMs`. Time in which the socket is paused does not count.
 * The server's own statement timeout would count it, and would end a long read that makes good progress.
 */
export function watchProgress(socket: Socket, afterMs: number, onStall: () => void): { end(): void } {
  let seen = socket.bytesRead
  let ended = false
  const look = () => {
    if (ended) return
    const waits = !socket.isPaused() && socket.bytesRead === seen
    seen = socket.bytesRead
    if (waits) onStall()
    else timer.refresh()
  }
  // a process that was busy itself first reads what has arrived meanwhile
  const timer = setTimeout(() => setImmediate(look), afterMs)
  timer.unref()
  return {
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
