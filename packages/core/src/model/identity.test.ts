import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { isPrivacyError } from '../errors.js'
import { identitiesSchema } from './identity.js'
import { parseInput } from './parse-input.js'

const read = (identity: unknown) => parseInput('privacy request', identitiesSchema, [identity]).value

function refusal(input: unknown) {
  try {
    parseInput('privacy request', z.object({ identities: identitiesSchema }), { identities: input })
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error
  }
  throw new Error('was read')
}

describe('identities', () => {
  it.each([
    { email: 'jane@example.com' },
    { email: ' Jane@Example.com ', phone_number: '+4930123' },
    { user_id: 0, 'customer.id': 12.5, active: false },
    { 'Kundennummer ü': 'x', _id: '507f1f77bcf86cd799439011' },
  ])('takes %j unchanged', (identity) => {
    expect(read(identity)).toEqual([identity])
  })

  it.each<[unknown, (string | number)[]]>([
    [null, [0]],
    ['jane', [0]],
    [[], [0]],
    [{}, [0]],
    [{ email: null }, [0, 'email']],
    [{ email: '' }, [0, 'email']],
    [{ email: ' \t\u00a0' }, [0, 'email']],
    [{ n: { $ne: null } }, [0, 'n']],
    [{ n: ['a'] }, [0, 'n']],
    [{ n: Number.NaN }, [0, 'n']],
    [{ n: Number.POSITIVE_INFINITY }, [0, 'n']],
    [{ n: 2 ** 53 }, [0, 'n']],
    [{ n: Symbol('x') }, [0, 'n']],
    [{ n: 'a\0b' }, [0, 'n']],
    [{ n: '\ud800' }, [0, 'n']],
    [{ n: 'x'.repeat(1_001) }, [0, 'n']],
    [{ constructor: 'x' }, [0]],
    [{ toString: 'x' }, [0]],
    [JSON.parse('{"__proto__":"x"}'), [0, '__proto__']],
    [{ $where: 'x' }, [0]],
    [{ 'jane@example.com': 1 }, [0]],
    [{ ['x'.repeat(129)]: 1 }, [0]],
    [{ ' a': 1 }, [0]],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`p${index}`, index])), [0]],
  ])('refuses %o', (identity, loc) => {
    expect(refusal([identity]).details.issues[0]?.loc).toEqual(['identities', ...loc])
  })

  it('requires at least one object, and not too many', () => {
    expect(refusal([]).details.issues).toEqual([{ loc: ['identities'], msg: 'must not be empty', type: 'too_small' }])
    expect(refusal(Array.from({ length: 51 }, () => ({ a: 1 }))).details.issues[0]?.type).toBe('too_big')
    expect(refusal({ email: 'a' }).details.issues[0]?.loc).toEqual(['identities'])
  })

  it('names every bad place, and repeats neither values nor odd property names', () => {
    const error = refusal([{ email: ['jane@example.com'], n: 2 ** 60 }, { 'jane@example.com': 'jane@example.com' }])
    expect(error.details.issues.map(({ loc }) => loc)).toEqual([
      ['identities', 0, 'email'],
      ['identities', 0, 'n'],
      ['identities', 1],
    ])
    expect(JSON.stringify(error)).not.toMatch(/jane|1152921504606846976/)
  })
})
