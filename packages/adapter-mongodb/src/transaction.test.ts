import { MongoServerError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { Meanwhile } from './erase-batch.js'
import { repeated } from './transaction.js'

const conflict = () => new MongoServerError({ message: 'WriteConflict', code: 112 })
const { signal } = new AbortController()

/** Work that fails with these errors, and then does not. */
function failing(...errors: readonly Error[]) {
  const left = [...errors]
  let calls = 0
  return {
    get calls() {
      return calls
    },
    work: async () => {
      calls++
      const error = left.shift()
      if (error) throw error
    },
  }
}

describe('work that others got in the way of', () => {
  it('is repeated while a transaction of others holds its documents', async () => {
    const tried = failing(conflict(), conflict(), conflict())
    await repeated(tried.work, { signal, patienceMs: 60_000 })
    expect(tried.calls).toBe(4)
  })

  it('is given up after the time that a setting allows', async () => {
    const tried = failing(...Array.from({ length: 100 }, conflict))
    await expect(repeated(tried.work, { signal, patienceMs: 50 })).rejects.toThrow('WriteConflict')
    expect(tried.calls).toBeLessThan(10)
  })

  it('is given up after some attempts where its documents keep changing', async () => {
    const tried = failing(...Array.from({ length: 100 }, () => new Meanwhile()))
    await expect(repeated(tried.work, { signal, patienceMs: 1 })).rejects.toThrow(Meanwhile)
    expect(tried.calls).toBe(8)
  })

  it('is given up at once with its connection', async () => {
    const closing = new AbortController()
    const tried = failing(conflict())
    const repeating = repeated(tried.work, { signal: closing.signal, patienceMs: 60_000 })
    closing.abort(new Error('closed'))
    await expect(repeating).rejects.toThrow()
    expect(tried.calls).toBe(1)
  })

  it('is not repeated for other reasons', async () => {
    const tried = failing(new Error('disk full'))
    await expect(repeated(tried.work, { signal, patienceMs: 60_000 })).rejects.toThrow('disk full')
    expect(tried.calls).toBe(1)
  })
})
