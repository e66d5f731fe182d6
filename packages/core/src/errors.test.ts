import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isPrivacyError, PrivacyError } from './errors.js'

describe('PrivacyError', () => {
  it('carries code, message, details and cause, and looks like an error', () => {
    const cause = new Error('driver')
    const error = new PrivacyError('not_found', 'There is no policy p.', { kind: 'policy', id: 'p' }, { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('PrivacyError')
    expect(error.cause).toBe(cause)
    expect(error.details.id).toBe('p')
    expect(inspect(error)).toContain('PrivacyError: There is no policy p.')
  })

  it('shows neither cause nor stack as JSON', () => {
    const error = new PrivacyError('connection_failed', 'shop is away.', {}, { cause: new Error('hunter2') })
    expect(JSON.stringify({ error })).toBe(
      '{"error":{"code":"connection_failed","message":"shop is away.","details":{}}}',
    )
  })

  it('is recognised by its brand, of another copy of the package as well', () => {
    const other = Object.assign(Object.create({ [Symbol.for('@habeas/privacy-error')]: true }), { code: 'gone' })
    expect(isPrivacyError(other)).toBe(true)
    expect(isPrivacyError(other, 'gone')).toBe(true)
    expect(isPrivacyError(other, 'conflict')).toBe(false)
    for (const thrown of [new Error('x'), { code: 'gone' }, null, 'gone', undefined]) {
      expect(isPrivacyError(thrown)).toBe(false)
    }
  })

  it('narrows details by code', () => {
    const error: unknown = new PrivacyError('invalid_input', 'No.', { issues: [{ loc: ['a'], msg: 'b', type: 'c' }] })
    if (!isPrivacyError(error, 'invalid_input')) throw error
    expect(error.details.issues[0]?.loc).toEqual(['a'])
  })

  it('from keeps its own and wraps everything else as internal, without repeating it', () => {
    const own = new PrivacyError('gone', 'The link is used.')
    expect(PrivacyError.from(own)).toBe(own)
    const wrapped = PrivacyError.from(new Error('password hunter2'))
    expect(wrapped).toMatchObject({ code: 'internal', cause: new Error('password hunter2') })
    expect(wrapped.message).not.toContain('hunter2')
  })
})
