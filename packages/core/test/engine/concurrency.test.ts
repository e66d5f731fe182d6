import { memoryBlobs, memoryStorage } from '@habeas/core'
import { expect, it } from 'vitest'
import { collection, field, id, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const ann = { email: 'ann@example.com' }
const shop = () =>
  shopOf([collection('customer', [id, field('email', { identity: 'email' })])], {
    customer: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
  })

it('a process runs as many requests at once as `concurrency` says, whether a hint or the sweep brings them', async () => {
  const ports = { storage: memoryStorage(), blobs: memoryBlobs() }
  const silent = await openService([shop()], { ...ports, execution: { immediate: false } })
  // Only the sweep finds these.
  for (let n = 0; n < 6; n++) await silent.submit(ann)
  const given = shop()
  const gate = given.connector.hold({ operation: 'read' })
  const service = await openService([given], { ...ports, execution: { concurrency: 2, sweepSeconds: 0.01 } })
  const hinted: string[] = []
  for (let n = 0; n < 6; n++) hinted.push(await service.submit(ann))
  await gate.reached
  await expect.poll(() => gate.waiting).toBe(2)
  // Long enough for many sweeps.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(gate.waiting).toBe(2)
  const { total } = await service.privacy.requests.list({ status: ['in_processing'] })
  expect(total).toBe(2)
  gate.open()
  for (const id of hinted) expect((await service.privacy.requests.settled(id)).status).toBe('complete')
  for (const { privacy } of [silent, service]) await privacy.close()
})
