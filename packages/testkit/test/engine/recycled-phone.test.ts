import { describe, expect, it } from 'vitest'
import { collection, field, id, shopOf, table } from './described.js'
import { accessOf, openService } from './service-run.js'

/** §7.3: a number that was given to somebody else must not open their data. */
describe('attacks with a recycled phone number', () => {
  const crm = collection('person', [
    id,
    field('email', { identity: 'email' }),
    field('phone', { identity: 'phone_number' }),
  ])
  const calls = collection('calls', [id, field('phone', { identity: 'phone_number' }), field('said')])
  const callColumns = { id: 'integer', phone: 'string', said: 'string' } as const
  const personColumns = { id: 'integer', email: 'string', phone: 'string' } as const
  const recycled = [
    [1, '+49 1', 'from the new owner of the number'],
    [2, '+49 2', 'from somebody else'],
  ]

  it('a recycled phone number, unconfirmed, opens nothing: what its new owner said stays theirs', async () => {
    const person = table(personColumns, [
      [1, 'ann@example.com', '+49 9'],
      [2, 'ben@example.com', '+49 1'],
    ])
    const shop = shopOf([crm, calls], { person, calls: table(callColumns, recycled) })
    const { rows, results } = await accessOf([shop], [{ email: 'ann@example.com', phone_number: '+49 1' }])
    expect(rows).toEqual({})
    expect(results).toEqual({ 'shop:person': 'nothing_found 0, near 2', 'shop:calls': 'nothing_found 0' })
    // The number must not even be asked for.
    expect(shop.connector.calls.some(({ read }) => read?.collection === 'calls')).toBe(false)
  })

  it('a phone number that a row confirms opens what only knows phone numbers', async () => {
    const person = table(personColumns, [[1, 'ann@example.com', '+49 1']])
    const shop = shopOf([crm, calls], { person, calls: table(callColumns, recycled) })
    const { rows } = await accessOf([shop], [{ email: 'ann@example.com', phone_number: '+49 1' }])
    expect(rows['shop:calls']).toEqual([{ id: 1, phone: '+49 1', said: 'from the new owner of the number' }])
  })

  it('a phone number cannot be confirmed by a row that holds it and another address', async () => {
    const person = table(personColumns, [[1, 'ben@example.com', '+49 1']])
    const shop = shopOf([crm, calls], { person, calls: table(callColumns, recycled) })
    const { rows } = await accessOf([shop], [{ email: 'ann@example.com', phone_number: '+49 1' }])
    expect(rows).toEqual({})
  })

  it.each(['skip_processing', 'disabled'])(
    'what could confirm a phone number is not searched (%s): the number opens nothing, and the package says so',
    async (how) => {
      const off = { ...crm, service_meta: how === 'disabled' ? {} : { skip_processing: true } }
      const people = shopOf([off], { person: table(personColumns, [[1, 'ben@example.com', '+49 1']]) }, { key: 'crm' })
      const shop = shopOf([calls], { calls: table(callColumns, recycled) })
      const service = await openService([people, shop])
      await service.privacy.connections.patch({ key: 'crm', disabled: how === 'disabled' })
      const { rows } = await service.access({ email: 'ann@example.com', phone_number: '+49 1' })
      await service.privacy.close()
      expect(Object.keys(rows)).toEqual(['not_searched'])
      expect(rows['not_searched']).toContainEqual({ collection: 'shop:calls', reason: 'behind: crm:person' })
    },
  )

  it('where nothing can confirm, each property is searched and the plan says not confirmable', async () => {
    const mails = collection('mails', [id, field('email', { identity: 'email' })])
    const shop = shopOf([calls, mails], {
      calls: table(callColumns, recycled),
      mails: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
    })
    const { rows, plan } = await accessOf([shop], [{ email: 'ann@example.com', phone_number: '+49 1' }])
    expect(plan.findings).toContainEqual(expect.objectContaining({ type: 'not_confirmable', severity: 'warning' }))
    expect(Object.keys(rows)).toEqual(['shop:calls', 'shop:mails'])
  })
})
