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
  const lease = { row: row as PrivacyRequestRow, mark: (changes: LeaseChanges) => void marks.push(changes) }
  return { read: rowsRead(lease, await permits.acquire(never), handBack), marks, handBack: handBack.signal }
}

describe('rowsRead', () => {
  it('says once that a request is large, and lets it go on where there is a permit', async () => {
    const { read, marks, handBack } = await runOf({}, true)
    for (let batch = 0; batch < 20; batch++) read(1_000)
    expect(marks).toEqual([])
    read(1)
    read(1_000_000)
    expect(marks).toEqual([{ lane: 'large' }])
    expect(handBack.aborted).toBe(false)
  })

  it('hands back what becomes large where there is none', async () => {
    const { read, marks, handBack } = await runOf({}, false)
    read(20_001)
    expect(marks).toEqual([{ lane: 'large' }])
    expect(handBack.aborted).toBe(true)
  })

  it('lets go on what has begun to erase', async () => {
    const { read, marks, handBack } = await runOf({ erasingSince: '2026-01-02T03:04:05.000Z' }, false)
    read(20_001)
    expect(marks).toEqual([{ lane: 'large' }])
    expect(handBack.aborted).toBe(false)
  })
})
