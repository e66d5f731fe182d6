import { systemRuntime } from '@habeas/core'
import { fakeRuntime } from '@habeas/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

const many = (newId: () => string): string[] => Array.from({ length: 50_000 }, newId)

describe('systemRuntime', () => {
  afterEach(() => void vi.useRealTimers())

  it('makes UUIDs of version 7 that hold the time', () => {
    const before = Date.now()
    const id = systemRuntime.newId()
    expect(id).toMatch(version7)
    expect(timeOf(id)).toBeGreaterThanOrEqual(before)
    expect(timeOf(id)).toBeLessThanOrEqual(Date.now())
  })

  it('makes ids that are unique and increase, within a millisecond too', () => {
    const ids = many(systemRuntime.newId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual([...ids].sort())
    for (const id of ids) if (!version7.test(id)) expect(id).toMatch(version7)
  })

  it('makes ids that increase when the clock is set back', () => {
    const id = systemRuntime.newId()
    vi.useFakeTimers({ now: Date.now() - 60_000 })
    expect(systemRuntime.newId() > id).toBe(true)
  })

  it('gives as many bytes as asked for, other ones each time', () => {
    expect(systemRuntime.randomBytes(0)).toHaveLength(0)
    expect(systemRuntime.randomBytes(16)).toHaveLength(16)
    expect(systemRuntime.randomBytes(16)).not.toEqual(systemRuntime.randomBytes(16))
  })
})

describe('fakeRuntime', () => {
  it('moves its clock only when told', () => {
    const runtime = fakeRuntime({ start: '2025-06-01T12:00:00Z' })
    expect(runtime.now().toISOString()).toBe('2025-06-01T12:00:00.000Z')
    runtime.now().setFullYear(1999)
    runtime.advance(1_500)
    expect(runtime.now().toISOString()).toBe('2025-06-01T12:00:01.500Z')
  })

  it('makes ids and bytes that follow from its seed', () => {
    const draw = (seed: string) => {
      const runtime = fakeRuntime({ seed })
      return [runtime.newId(), runtime.newId(), Buffer.from(runtime.randomBytes(70)).toString('hex')]
    }
    expect(draw('a')).toEqual(draw('a'))
    for (const [index, drawn] of draw('a').entries()) expect(drawn).not.toBe(draw('b')[index])
  })

  it('makes ids of version 7 that increase, with the clock and within an instant', () => {
    const runtime = fakeRuntime()
    const ids = many(runtime.newId)
    runtime.advance(1)
    ids.push(runtime.newId())
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual([...ids].sort())
    expect(ids[0]).toMatch(version7)
    expect(timeOf(ids[0]!)).toBe(fakeRuntime().now().getTime())
  })
})
