import { randomBytes } from 'node:crypto'
import type { Runtime } from '../ports/runtime.js'

// RFC 9562, 6.2, method 1: the 12 bits after the time count the ids of one millisecond.
const lastCount = 0xfff

/** Takes random bytes from a supply, since a system call for a few bytes costs as much as one for thousands. */
const randomSupply = (): ((length: number) => Buffer) => {
  let supply = Buffer.alloc(0) as Buffer
  return (length) => {
    if (supply.length < length) supply = randomBytes(4_096)
    const taken = supply.subarray(0, length)
    supply = supply.subarray(length)
    return taken
  }
}

const monotonicId = (): (() => string) => {
  const take = randomSupply()
  let milliseconds = 0
  let count = 0
  return () => {
    const random = take(10)
    const now = Date.now()
    if (now > milliseconds) {
      milliseconds = now
      // Half of the range stays free for counting.
      count = random.readUInt16BE(0) & 0x7ff
    } else if (count < lastCount) {
      count += 1
    } else {
      // This also happens when the clock was set back, since ids never decrease within a process.
      milliseconds += 1
      count = 0
    }
    random[2] = (random[2]! & 0x3f) | 0x80
    const time = milliseconds.toString(16).padStart(12, '0')
    const rest = random.toString('hex', 2)
    return [
      time.slice(0, 8),
      time.slice(8),
      `7${count.toString(16).padStart(3, '0')}`,
      rest.slice(0, 4),
      rest.slice(4),
    ].join('-')
  }
}

/** The clock, the cryptographic random source and UUIDv7 ids of this process. */
export const systemRuntime: Runtime = {
  now: () => new Date(),
  newId: monotonicId(),
  randomBytes: (length) => new Uint8Array(randomBytes(length)),
}
