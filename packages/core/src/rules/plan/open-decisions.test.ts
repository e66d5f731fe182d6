import { describe, expect, it } from 'vitest'
import { acceptedByName, openDecisions } from './open-decisions.js'
import type { Plan } from './plan.js'

const plan = {
  collections: [{ doubts: [{ name: 'shop:posts.comments.userId' }] }, {}],
  unsearched: [
    { address: 'crm:customer', reason: 'disabled', targeted: true },
    { address: 'crm:log', reason: 'disabled', targeted: false },
    { address: 'crm:tag', reason: 'no target needs it', targeted: true },
  ],
  open: [{ name: 'shop:orders.packed_by' }, { name: 'shop:orders.packed_by' }, { name: 'shop:notes.author_id' }],
  identities: [{ unconfirmable: ['phone_number'] }, { unconfirmable: ['phone_number', 'shoe_size'] }],
  coverage: { hidden: ['crm:note'] },
} as unknown as Plan

describe('the open decisions of a plan', () => {
  it('are the missed and hidden collections, the open references, the doubtful members and the identities without confirmation', () => {
    expect(openDecisions(plan)).toEqual({
      unsearched: ['crm:customer', 'crm:note'],
      undecided: ['shop:orders.packed_by', 'shop:notes.author_id', 'shop:posts.comments.userId'],
      unconfirmed: ['phone_number', 'shoe_size'],
    })
  })
})

describe('an acceptance', () => {
  it.each<[Parameters<typeof acceptedByName>, ReturnType<typeof acceptedByName>]>([
    [[{ undecided: true }, { undecided: ['a', 'b'] }], { undecided: ['a', 'b'] }],
    [[{ undecided: true, unsearched: true }, { undecided: ['a'] }], { undecided: ['a'] }],
    [[{ undecided: true }, { undecided: [] }], {}],
    [[{ undecided: ['x'] }, { undecided: ['a'] }], { undecided: ['x'] }],
    [[{}, { undecided: ['a'] }], {}],
  ])('%j becomes the names it stands for', ([said, named], accepted) => {
    expect(acceptedByName(said, named)).toEqual(accepted)
  })
})
