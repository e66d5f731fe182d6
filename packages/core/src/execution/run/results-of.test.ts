import { describe, expect, it } from 'vitest'
import {
  collection,
  customer,
  field,
  from,
  key,
  planned,
  undirected,
  wanted,
} from '../../../test/fixtures/planned-shop.js'
import { PrivacyError } from '../../errors.js'
import { failureOf, resultsOf } from './results-of.js'

describe('results of a run', () => {
  const plan = planned({
    collections: [
      customer,
      collection('address', [key(), wanted('street')]),
      collection('account', [key(), field('login', { identity: 'login' }), wanted('a')]),
      // Its owner is not searched, and another reference is open.
      collection('device', [
        key(),
        from('account_id', 'account.id'),
        undirected('customer_id', 'customer.id'),
        wanted('a'),
      ]),
      collection('note', [key(), undirected('customer_id', 'customer.id'), wanted('text')]),
    ],
  })
  const counted = plan.open.map((open) => ({ open, rows: open.address === 'shop:note' ? 0 : 2 }))
  const ends = plan.components.map(() => ({ state: 'waiting', for: 'failed' }) as const)
  const results = resultsOf(plan, ends, { nearMatches: new Map(), notes: new Map(), counted, handsOver: true })
  const of = (name: string) => results.find((each) => each.collection === name)

  it('include rows that were counted in a collection that is not searched', () => {
    expect(plan.unsearched).toContainEqual({
      address: 'shop:device',
      reason: 'identity not provided',
      detail: 'login',
      targeted: true,
    })
    const reason = expect.stringContaining("the reference 'account_id' says who owns its rows")
    expect(of('device')).toMatchObject({
      outcomes: [
        { outcome: 'skipped', rowCount: 0, reason: 'identity not provided: login' },
        { outcome: 'skipped', rowCount: 2, reason: expect.stringContaining('undecided by shop:device.customer_id: ') },
      ],
      undecided: [{ reference: 'shop:device.customer_id', rowCount: 2, reason }],
    })
  })

  it('include collections that only an open reference leads to', () => {
    expect(of('note')).toEqual({
      dataset: 'shop',
      collection: 'note',
      actionType: 'access',
      outcomes: [{ outcome: 'nothing_found', rowCount: 0 }],
    })
  })
})

describe('the sentence about a failed search', () => {
  const error = new PrivacyError('connection_failed', 'The table "owner" has no column "fullname".')
  const searched = (address: string, connectionKey: string) => ({ address, connectionKey })
  const plan = (...components: (readonly string[])[]) =>
    ({
      components: components.map((members) => ({ members })),
      collections: [searched('chat:accounts', 'chat'), searched('vet:owner', 'vet'), searched('vet:pet', 'vet')],
    }) as never
  const failed = { state: 'error', error } as never

  it('names the collection that failed, and others that failed as well', () => {
    expect(failureOf(plan(['vet:owner'], ['chat:accounts']), [failed, failed])?.message).toMatch(
      /^vet:owner could not be read over connection 'vet' \(and 1 more: chat:accounts\): The table "owner"/,
    )
  })

  it('names all collections of a circle, since one of them failed', () => {
    expect(failureOf(plan(['chat:accounts', 'vet:owner', 'vet:pet']), [failed])?.message).toMatch(
      /^One of chat:accounts, vet:owner, vet:pet could not be read over connection 'chat' or 'vet': The table/,
    )
  })
})
