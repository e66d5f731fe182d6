import { describe, expect, test } from 'vitest'
import { failureLimit } from './failure-limit.js'

function setUp(names?: number) {
  let now = Date.UTC(2025, 0, 1)
  const runtime = { now: () => new Date(now) }
  const limit = failureLimit(runtime, { failures: 3, windowSeconds: 60, ...(names !== undefined && { names }) })
  const fails = (...counted: string[]): number | 'let through' => {
    try {
      limit.failed(...counted)
      return 'let through'
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' })
      return (error as { details: { retryAfterSeconds: number } }).details.retryAfterSeconds
    }
  }
  const advance = (milliseconds: number) => {
    now += milliseconds
  }
  return { fails, advance }
}

describe('a limit of failures', () => {
  test('lets so many through in a window, then says when the window ends', () => {
    const { fails, advance } = setUp()
    expect([fails('a'), fails('a'), fails('a')]).toEqual(['let through', 'let through', 'let through'])
    expect(fails('a')).toBe(60)
    advance(30_500)
    expect(fails('a')).toBe(30)
    advance(29_499)
    expect(fails('a')).toBe(1)
    advance(1)
    expect([fails('a'), fails('a'), fails('a'), fails('a')]).toEqual(['let through', 'let through', 'let through', 60])
  })

  test('refused attempts do not prolong the window', () => {
    const { fails, advance } = setUp()
    for (let second = 0; second < 60; second++) {
      fails('a')
      advance(1_000)
    }
    expect(fails('a')).toBe('let through')
  })

  test('each name has its own count, and one name with too many failures is enough', () => {
    const { fails, advance } = setUp()
    for (let count = 0; count < 3; count++) fails('client a', 'address 1')
    expect(fails('client b', 'address 2')).toBe('let through')
    expect(fails('client b', 'address 1')).toBe(60)
    advance(10_000)
    expect(fails('client a', 'address 2')).toBe(50)
    // The longest wait counts.
    for (let count = 0; count < 4; count++) fails('address 3')
    expect(fails('address 1', 'address 3')).toBe(60)
  })

  test('made-up names do not fill the memory: the oldest is forgotten', () => {
    const { fails } = setUp(3)
    for (let count = 0; count < 4; count++) fails('first')
    expect(fails('first')).toBe(60)
    fails('second')
    fails('third')
    expect(fails('first')).toBe(60)
    fails('fourth')
    expect(fails('first')).toBe('let through')
    expect(fails('fourth')).toBe('let through')
  })

  test('names of JavaScript are names', () => {
    const { fails } = setUp()
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect([fails(name), fails(name), fails(name), fails(name)]).toEqual([
        'let through',
        'let through',
        'let through',
        60,
      ])
    }
  })
})
