import { memoryMailer } from '@habeas/core'
import { expect, it } from 'vitest'
import { collection, field, id, shopOf, table } from './described.js'
import { openService, resultsOf } from './service-run.js'

const email = 'ann@example.com'
const identity = { email, phone: '555' }

/** Customers are known by their address, members of the club by their telephone: that of somebody else. */
const shop = () =>
  shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('member', [id, field('phone', { identity: 'phone' }), field('points')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [[1, email]]),
      member: table({ id: 'integer', phone: 'string', points: 'string' }, [[7, '555', 'of somebody else']]),
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

it('what only an unproven property would find is not read', async () => {
  const { privacy, requests, requestId, read } = await verified(false)
  const request = await requests.settled(requestId)
  expect(request.status).toBe('complete')
  expect(resultsOf(request)).toMatchObject({ 'shop:customer': 'delivered 1', 'shop:member': 'skipped 0' })
  const member = request.results?.find((result) => result.collection === 'member')
  expect(member?.outcomes[0]?.reason).toBe('identity not proven')
  expect(JSON.stringify(await read(requestId))).not.toContain('somebody else')
  const { plan } = await requests.preview({ policyKey: 'access_all', identities: [identity] })
  expect(plan.unsearched).toMatchObject([{ address: 'shop:member', reason: 'identity not proven' }])
  await privacy.close()
})

it('is read once somebody has looked at it and approved it', async () => {
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
