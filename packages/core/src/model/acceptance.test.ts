import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  type Acceptance,
  type AcceptanceInput,
  acceptanceInput,
  acceptanceKinds,
  acceptanceOf,
  acceptanceShape,
  notAccepted,
  withAcceptance,
} from './acceptance.js'

const schema = z.strictObject(acceptanceShape)

describe('the acceptance of a caller', () => {
  it.each<[AcceptanceInput, Acceptance]>([
    [{}, {}],
    [{ acceptUnsearched: true }, { unsearched: true }],
    [{ acceptUnsearched: false, acceptUndecided: false, acceptUnconfirmed: false }, {}],
    [{ acceptUndecided: [] }, {}],
    [{ acceptUndecided: ['shop:orders.owner_id'] }, { undecided: ['shop:orders.owner_id'] }],
    [
      { acceptUnsearched: ['shop:a', 'shop:b'], acceptUnconfirmed: true },
      { unsearched: ['shop:a', 'shop:b'], unconfirmed: true },
    ],
  ])('%j is stored as %j', (said, kept) => {
    expect(schema.parse(said)).toEqual(said)
    expect(acceptanceOf(said)).toEqual(kept)
  })

  it.each([
    { acceptUnsearched: 'all' },
    { acceptUnsearched: 1 },
    { acceptUndecided: null },
    { acceptUndecided: [''] },
    { acceptUndecided: [true] },
    { acceptUnconfirmed: ['x'.repeat(501)] },
    { acceptUnconfirmed: Array.from({ length: 1_001 }, (_, at) => `p${at}`) },
    { acceptNothing: true },
  ])('%j is refused', (said) => {
    expect(schema.safeParse(said).success).toBe(false)
  })

  it('turns back into the same input', () => {
    const kept: Acceptance = { unsearched: true, undecided: ['a', 'b'] }
    expect(acceptanceInput(kept)).toEqual({ acceptUnsearched: true, acceptUndecided: ['a', 'b'] })
    expect(acceptanceOf(acceptanceInput(kept))).toEqual(kept)
    expect(acceptanceInput({})).toEqual({})
  })
})

describe('an earlier acceptance with a new one', () => {
  it.each<[Acceptance | undefined, Acceptance, Acceptance]>([
    [undefined, {}, {}],
    [undefined, { undecided: ['a'] }, { undecided: ['a'] }],
    [{ undecided: ['a'] }, {}, { undecided: ['a'] }],
    [{ undecided: ['a', 'b'] }, { undecided: ['b', 'c'] }, { undecided: ['a', 'b', 'c'] }],
    [{ undecided: ['a'] }, { undecided: true }, { undecided: true }],
    [{ undecided: true }, { undecided: ['a'] }, { undecided: true }],
    [{ unsearched: ['a'] }, { unconfirmed: ['a'] }, { unsearched: ['a'], unconfirmed: ['a'] }],
  ])('%j and %j are %j', (before, now, both) => {
    expect(withAcceptance(before, now)).toEqual(both)
  })
})

describe('names that are not accepted', () => {
  it.each<[Acceptance | undefined, readonly string[], string[]]>([
    [undefined, ['a', 'b'], ['a', 'b']],
    [{}, [], []],
    [{ undecided: true }, ['a', 'b'], []],
    [{ undecided: ['a'] }, ['a', 'b'], ['b']],
    [{ undecided: ['a'] }, ['b', 'b', 'a'], ['b']],
    [{ undecided: ['A', 'a.b'] }, ['a'], ['a']],
    [{ unsearched: true, unconfirmed: ['a'] }, ['a'], ['a']],
  ])('after %j was accepted, %j leaves %j', (accepted, names, left) => {
    expect(notAccepted(accepted, 'undecided', names)).toEqual(left)
  })

  it('checks each kind separately', () => {
    for (const kind of acceptanceKinds) {
      expect(notAccepted({ [kind]: ['a'] }, kind, ['a', 'b'])).toEqual(['b'])
      for (const other of acceptanceKinds)
        if (other !== kind) expect(notAccepted({ [kind]: true }, other, ['a'])).toEqual(['a'])
    }
  })
})
