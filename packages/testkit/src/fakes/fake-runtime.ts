import { createHash } from 'node:crypto'
import type { Runtime } from '@habeas/core'

export interface FakeRuntimeOptions {
  /** Default: 2025-01-01T00:00:00.000Z. */
  readonly start?: Date | string
  /** Another seed gives other bytes and ids. Default: `habeas`. */
  readonly seed?: string
}

/** A runtime that is the same in every run of a test. */
export interface FakeRuntime extends Runtime {
  /** Moves the clock on; it stands still otherwise. */
  advance(milliseconds: number): void
}

/** A runtime whose clock only moves when told and whose ids (UUIDv7) and bytes follow from the seed. */
export const fakeRuntime = ({
  start = '2025-01-01T00:00:00.000Z',
  seed = 'habeas',
}: FakeRuntimeOptions = {}): FakeRuntime => {
  let now = new Date(start).getTime()
  let ids = 0
  let blocks = 0
  const idEnd = createHash('sha256').update(`${seed}:ids`).digest('hex').slice(0, 6)

  const randomBytes = (length: number): Uint8Array => {
    const bytes = new Uint8Array(length)
    for (let filled = 0; filled < length; filled += 32) {
      const block = createHash('sha256').update(`${seed}:${blocks}`).digest()
      blocks += 1
      bytes.set(block.subarray(0, length - filled), filled)
    }
    return bytes
  }

  return {
    now: () => new Date(now),
    newId() {
      ids += 1
      const time = now.toString(16).padStart(12, '0')
      // The count fills the bits after the time, highest first, so that ids of one instant increase.
      const count = ids.toString(16).padStart(12, '0')
      const groups = [time.slice(0, 8), time.slice(8), `7${count.slice(0, 3)}`, `8${count.slice(3, 6)}`]
      return [...groups, count.slice(6) + idEnd].join('-')
    },
    randomBytes,
    advance(milliseconds) {
      now += milliseconds
    },
  }
}
