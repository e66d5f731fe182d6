import type { Socket } from 'node:net'

/**
 * Calls `onStall` when the socket has brought no byte for `afterMs`. Time in which we hold the socket back does not
 * count: the server's own statement timeout runs on while a portal waits for its client, and would end a long reading
 * that makes good progress.
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
  // a process that was busy itself first takes in what has arrived meanwhile
  const timer = setTimeout(() => setImmediate(look), afterMs)
  timer.unref()
  return {
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
