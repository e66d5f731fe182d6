import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ordinaryScopes, scopes } from '../../model/scopes.js'
import { beyondCeiling, defaultGrantable, grantCeiling } from './grant-ceiling.js'

const every = scopes.map(({ name }) => name)
const some = fc.subarray(every)

describe('grants', () => {
  test('the root client may grant everything, whatever the option', () => {
    expect(grantCeiling('root', false)).toEqual(every)
    expect(grantCeiling('root', true)).toEqual(every)
  })

  test('a client may grant its grantable scopes, and with the option only its own scopes', () => {
    fc.assert(
      fc.property(some, some, (own, grantable) => {
        const grantor = { scopes: own, grantableScopes: grantable }
        expect(grantCeiling(grantor, false)).toEqual(grantable)
        const held = grantCeiling(grantor, true)
        expect(held.every((scope) => own.includes(scope) && grantable.includes(scope))).toBe(true)
        expect(grantable.filter((scope) => own.includes(scope))).toEqual(held)
      }),
    )
  })

  test('the default: its own scopes, or more where root lets a client create clients', () => {
    fc.assert(
      fc.property(some, some, fc.boolean(), (granted, grantable, ownScopesOnly) => {
        const grantor = { scopes: every, grantableScopes: grantable }
        expect(defaultGrantable(grantor, granted, ownScopesOnly)).toEqual(granted)
        const creates = granted.includes('client:create') && !ownScopesOnly
        expect(defaultGrantable('root', granted, ownScopesOnly)).toEqual(creates ? ordinaryScopes : granted)
      }),
    )
  })

  test('the first scope beyond the ceiling is named, and none within it', () => {
    fc.assert(
      fc.property(some, some, (wanted, ceiling) => {
        const beyond = beyondCeiling(wanted, ceiling)
        if (beyond === undefined) expect(wanted.every((scope) => ceiling.includes(scope))).toBe(true)
        else
          expect(wanted.slice(0, wanted.indexOf(beyond) + 1).filter((scope) => !ceiling.includes(scope))).toEqual([
            beyond,
          ])
      }),
    )
  })
})
