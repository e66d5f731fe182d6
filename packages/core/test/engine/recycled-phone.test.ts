import { describe, expect, it } from 'vitest'
import { collection, field, id, shopOf, table } from './described.js'
import { accessOf, type DescribedShop, openService, resultsOf } from './service-run.js'

const asked = { email: 'ann@example.com', phone_number: '+49 1' }

/** Submits that, and accepts what the request then pauses for. */
async function pausedAndAccepted(shops: readonly DescribedShop[], disabled?: string) {
  const service = await openService(shops)
  const { privacy, read, rested } = service
  if (disabled !== undefined) await privacy.connections.patch({ key: disabled, disabled: true })
  const requestId = await service.submit(asked)
  const paused = await rested(requestId)
  expect(paused).toMatchObject({
    status: 'paused',
    actionRequired: { accept: { acceptUnconfirmed: expect.anything() } },
  })
  expect(await privacy.requests.packages(requestId)).toEqual([])
  const names = paused.actionRequired?.accept?.acceptUnconfirmed as string[]
  await privacy.requests.accept(requestId, { acceptUnconfirmed: names })
  const request = await rested(requestId)
  expect(request).toMatchObject({ status: 'complete', incomplete: true, unconfirmed: names })
  const { plan } = await service.preview(asked)
  const rows = await read(requestId)
  await privacy.close()
  return { names, message: paused.actionRequired?.message, rows, results: resultsOf(request), plan }
}

/** A number that was given to somebody else must not open their data. */
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
    const { message, rows, results } = await pausedAndAccepted([shop])
    expect(message).toMatch(/'phone_number'.*no row of shop:person confirms/)
    expect(Object.keys(rows)).not.toContain('shop:person')
    expect(Object.keys(rows)).not.toContain('shop:calls')
    expect(results).toEqual({
      'shop:person': 'nothing_found 0, skipped 1, skipped 1, near 2',
      'shop:calls': 'nothing_found 0, skipped 0',
    })
    // The number must not even be asked for.
    expect(shop.connector.calls.some(({ read }) => read?.collection === 'calls')).toBe(false)
  })

  it('a phone number that a row confirms opens what only knows phone numbers', async () => {
    const person = table(personColumns, [[1, 'ann@example.com', '+49 1']])
    const shop = shopOf([crm, calls], { person, calls: table(callColumns, recycled) })
    const { rows } = await accessOf([shop], [asked])
    expect(rows['shop:calls']).toEqual([{ id: 1, phone: '+49 1', said: 'from the new owner of the number' }])
  })

  it('a phone number that a row confirms and another person holds as well opens nothing', async () => {
    const person = table(personColumns, [
      [1, 'ann@example.com', '+49 1'],
      [2, 'ben@example.com', '+49 1'],
    ])
    const shop = shopOf([crm, calls], { person, calls: table(callColumns, recycled) })
    const { rows, results } = await accessOf([shop], [asked])
    expect(rows['shop:person']).toMatchObject([{ id: 1 }])
    expect(rows['shop:calls']).toBeUndefined()
    expect(results['shop:calls']).toBe('nothing_found 0, skipped 1')
  })

  it('a phone number cannot be confirmed by a row that holds it and another address', async () => {
    const person = table(personColumns, [[1, 'ben@example.com', '+49 1']])
    const shop = shopOf([crm, calls], { person, calls: table(callColumns, recycled) })
    const { names, rows } = await pausedAndAccepted([shop])
    expect(names).toContain('phone_number')
    expect(JSON.stringify(rows)).not.toContain('+49')
  })

  it.each(['skip_processing', 'disabled'])(
    'where what could confirm a phone number is not searched (%s), the number opens nothing, and the package says so',
    async (how) => {
      const off = { ...crm, service_meta: how === 'disabled' ? {} : { skip_processing: true } }
      const people = shopOf([off], { person: table(personColumns, [[1, 'ben@example.com', '+49 1']]) }, { key: 'crm' })
      const shop = shopOf([calls], { calls: table(callColumns, recycled) })
      const { message, rows } = await pausedAndAccepted([people, shop], how === 'disabled' ? 'crm' : undefined)
      expect(message).toMatch(/'phone_number'/)
      expect(Object.keys(rows)).not.toContain('shop:calls')
      expect(rows['not_searched']).toContainEqual({ collection: 'shop:calls', reason: 'identity not confirmed' })
    },
  )

  it('where nothing can confirm, neither property is searched by itself, accepted or not', async () => {
    const mails = collection('mails', [id, field('email', { identity: 'email' })])
    const shop = shopOf([calls, mails], {
      calls: table(callColumns, recycled),
      mails: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
    })
    const { names, message, rows, plan } = await pausedAndAccepted([shop])
    expect(names).toEqual(['email', 'phone_number'])
    expect(message).toMatch(/^No rows were searched for by 'email' and 'phone_number' alone/)
    expect(plan.identities).toMatchObject([{ confirmedBy: [], unconfirmable: ['email', 'phone_number'] }])
    expect(rows['not_searched']).toEqual([
      { collection: 'shop:calls', reason: 'identity not confirmed' },
      { collection: 'shop:mails', reason: 'identity not confirmed' },
    ])
    expect(shop.connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
  })
})
