import { describe, expect, it } from 'vitest'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { LeaseChanges } from './hold-lease.js'
import { rowsRead } from './rows-read.js'
import { workerPermits } from './worker-permits.js'

const never = new AbortController().signal

/** One run of a request, in a worker that has a permit for it, or for a small one only. */
async function runOf(row: Partial<PrivacyRequestRow>, takesLarge: boolean) {
  const permits = workerPermits(2)
  if (!takesLarge) (await permits.acquire(never)).becomeLarge()
  const marks: LeaseChanges[] = []
  const handBack = new AbortController()
  const lease = {
    row: row as PrivacyRequestRow,
    signal: never,
    mark: (changes: LeaseChanges) => void marks.push(changes),
  }
  const read = rowsRead(lease, await permits.acquire(never), handBack)
  return { read, permits, marks, handBack: handBack.signal }
}

describe('rowsRead', () => {
  it('says once that a request is large, and lets it go on where there is a permit', async () => {
    const { read, marks, handBack } = await runOf({}, true)
    for (let batch = 0; batch < 20; batch++) await read(1_000)
    expect(marks).toEqual([])
    await read(1)
    await read(1_000_000)
    expect(marks).toEqual([{ lane: 'large' }])
    expect(handBack.aborted).toBe(false)
  })

  it('hands back what becomes large where there is none', async () => {
    const { read, marks, handBack } = await runOf({}, false)
    await read(20_001)
    expect(marks).toEqual([{ lane: 'large' }])
    expect(handBack.aborted).toBe(true)
  })

  it('takes fewer rows for many while others wait for the permit', async () => {
    const { read, permits, marks, handBack } = await runOf({}, false)
    const others = permits.acquire(new AbortController().signal)
    await read(500)
    expect(marks).toEqual([])
    await read(1)
    expect(marks).toEqual([{ lane: 'large' }])
    expect(handBack.aborted).toBe(true)
    others.catch(() => {})
  })

  it('lets go on what has begun to erase', async () => {
    const { read, marks, handBack } = await runOf({ erasingSince: '2026-01-02T03:04:05.000Z' }, false)
    await read(20_001)
    expect(marks).toEqual([{ lane: 'large' }])
    expect(handBack.aborted).toBe(false)
  })

  it('rests after each batch of a large request while small ones are there', async () => {
    const { read, permits } = await runOf({}, true)
    await read(20_001)
    const small = await permits.acquire(never)
    const from = performance.now()
    for (let rows = 0; rows < 10; rows++) await read(1)
    expect(performance.now() - from).toBeGreaterThan(180)
    small[Symbol.dispose]()
  })
})
