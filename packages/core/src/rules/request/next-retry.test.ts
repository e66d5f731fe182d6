import { expect, it } from 'vitest'
import { nextRetry } from './next-retry.js'

const now = new Date('2026-03-01T12:00:00.000Z')
const settings = { retryMinutes: 5, retryDelaySeconds: 1 }
const failed = { mayPass: 'away', reason: 'The server is away.', before: undefined, gotFurther: false } as const
const before = (attempts: number, since = now, changed = 0) => ({
  since: since.toISOString(),
  ...{ attempts, ...(changed > 0 && { changed }) },
  at: now.toISOString(),
  reason: 'It was away before.',
})
const inMs = (at: string | undefined) => Date.parse(at ?? '') - now.getTime()

it('the first failure is repeated after half the delay to all of it', () => {
  const early = nextRetry(failed, settings, { now, random: 0 })
  expect(early).toEqual({
    since: now.toISOString(),
    attempts: 1,
    at: '2026-03-01T12:00:00.500Z',
    reason: 'The server is away.',
  })
  expect(inMs(nextRetry(failed, settings, { now, random: 1 })?.at)).toBe(1_000)
})

it.each([
  [1, 2_000],
  [4, 16_000],
  [5, 32_000],
  [6, 60_000],
  [40, 60_000],
])('after %i failures before it waits up to %i ms', (attempts, ms) => {
  const next = nextRetry({ ...failed, before: before(attempts) }, settings, { now, random: 1 })
  expect(next?.attempts).toBe(attempts + 1)
  expect(inMs(next?.at)).toBe(ms)
})

it('a run of failures ends when its time is over', () => {
  const since = new Date(now.getTime() - 290_000)
  const next = (minutesMs: number) =>
    nextRetry({ ...failed, before: before(3, new Date(now.getTime() - minutesMs)) }, settings, { now, random: 1 })
  expect(next(291_000)?.since).toBe(new Date(now.getTime() - 291_000).toISOString())
  expect(inMs(next(299_000)?.at)).toBe(1_000)
  expect(next(300_000)).toBeUndefined()
  expect(inMs(nextRetry({ ...failed, before: before(6, since) }, settings, { now, random: 1 })?.at)).toBe(10_000)
})

it('a run that got further begins a new run of failures', () => {
  const late = before(9, new Date(now.getTime() - 1_000_000))
  expect(nextRetry({ ...failed, before: late }, settings, { now, random: 1 })).toBeUndefined()
  const next = nextRetry({ ...failed, before: late, gotFurther: true }, settings, { now, random: 1 })
  expect(next).toMatchObject({ since: now.toISOString(), attempts: 1 })
})

it('rows that change again and again end the request after three attempts, whether or not others were written', () => {
  const changed = { ...failed, mayPass: 'changed', gotFurther: true } as const
  expect(nextRetry(changed, settings, { now, random: 1 })).toMatchObject({ attempts: 1, changed: 1 })
  const second = nextRetry({ ...changed, before: before(1, now, 1) }, settings, { now, random: 1 })
  expect(second).toMatchObject({ attempts: 2, changed: 2 })
  expect(nextRetry({ ...changed, before: before(2, now, 2) }, settings, { now, random: 1 })).toBeUndefined()
})

it('rows that have changed while a server was away are tried again', () => {
  const changed = { ...failed, mayPass: 'changed' } as const
  const next = nextRetry({ ...changed, before: before(4) }, settings, { now, random: 1 })
  expect(next).toMatchObject({ attempts: 5, changed: 1 })
  expect(nextRetry({ ...failed, before: before(5, now, 1) }, settings, { now, random: 1 })?.changed).toBe(1)
})

it('no minutes mean no further attempt', () => {
  expect(nextRetry(failed, { ...settings, retryMinutes: 0 }, { now, random: 0 })).toBeUndefined()
})
