import { memoryMailer } from '@habeas/core'
import { expect, it } from 'vitest'
import { collection, field, id, shopOf, table } from './described.js'
import { openService, resultsOf } from './service-run.js'

const email = 'ann@example.com'
const identity = { email, phone: '555' }

/** Customers are known by their address and telephone, members of the club by that alone: somebody else's now. */
const shop = (phone = '555') =>
  shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' }), field('phone', { identity: 'phone' })]),
      collection('member', [id, field('phone', { identity: 'phone' }), field('points')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string', phone: 'string' }, [[1, email, phone]]),
      member: table({ id: 'integer', phone: 'string', points: 'string' }, [[7, '555', 'a stranger has 90']]),
    },
  )

async function verified(requireManualRequestApproval: boolean) {
  const mailer = memoryMailer()
  const service = await openService([shop()], {
    mailer,
    execution: { subjectIdentityVerificationRequired: true, requireManualRequestApproval },
  })
  const { requests } = service.privacy
  const { id: requestId, unproven } = await requests.submit({ policyKey: 'access_all', identities: [identity] })
  expect(unproven).toEqual(['phone'])
  await expect.poll(() => mailer.outbox.length).toBe(1)
  const code = /^\d{6}$/m.exec(mailer.outbox[0]?.text ?? '')?.[0] as string
  await requests.verify(requestId, { code })
  return { ...service, requests, requestId }
}

it('rows that only an unproven property would find are not read', async () => {
  const { privacy, requests, requestId, read } = await verified(false)
  const request = await requests.settled(requestId)
  expect(request.status).toBe('complete')
  expect(resultsOf(request)).toMatchObject({ 'shop:customer': 'delivered 1', 'shop:member': 'skipped 0' })
  const member = request.results?.find((result) => result.collection === 'member')
  expect(member?.outcomes[0]?.reason).toBe('identity not proven')
  expect(JSON.stringify(await read(requestId))).not.toContain('a stranger')
  const { plan } = await requests.preview({ policyKey: 'access_all', identities: [identity] })
  expect(plan.unsearched).toMatchObject([{ address: 'shop:member', reason: 'identity not proven' }])
  await privacy.close()
})

it('rows that only an unproven property would find are read once somebody has reviewed and approved it', async () => {
  const { privacy, requests, requestId, read } = await verified(true)
  const { unproven, plan, planHash } = await requests.review(requestId)
  expect(unproven).toEqual(['phone'])
  expect(plan.unsearched).toEqual([])
  await requests.approve(requestId, { planHash, caller: 'a-reviewer' })
  expect((await requests.settled(requestId)).status).toBe('complete')
  expect((await requests.review(requestId)).unproven).toEqual([])
  expect(Object.keys(await read(requestId))).toEqual(['shop:customer', 'shop:member'])
  await privacy.close()
})

it('an approved property that no row confirms reads nothing, and the request waits until that is accepted', async () => {
  const mailer = memoryMailer()
  const given = shop('556')
  const { privacy, rested, read } = await openService([given], {
    mailer,
    execution: { requireManualRequestApproval: true },
  })
  const { requests } = privacy
  const { id: requestId } = await requests.submit({ policyKey: 'access_all', identities: [identity] })
  const { planHash } = await requests.review(requestId)
  await requests.approve(requestId, { planHash, caller: 'a-reviewer' })
  expect((await rested(requestId)).actionRequired?.message).toMatch(/'phone'.*no row of shop:customer confirms/)
  await requests.accept(requestId, { acceptUnconfirmed: ['email', 'phone'] })
  expect((await rested(requestId)).status).toBe('complete')
  expect(JSON.stringify(await read(requestId))).not.toContain('a stranger')
  await privacy.close()
})
