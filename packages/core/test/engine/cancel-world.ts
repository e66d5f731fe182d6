import { type Blobs, memoryBlobs } from '@habeas/core'
import { expect } from 'vitest'
import { collection, field, id, refer, type ShopOptions, shopOf, table } from './described.js'
import { openService, type ServiceOptions } from './service-run.js'

export const ann = { email: 'ann@example.com' }

/** customer → orders → line. By default the rows of orders are more than a spool keeps in memory. */
export function shop({ orders = 6_000, ...options }: ShopOptions & { orders?: number } = {}) {
  const note = 'x'.repeat(150)
  return shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
      collection('line', [id, refer('order_id', 'orders.id'), field('title')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [
        [1, 'ann@example.com'],
        [2, 'ben@example.com'],
      ]),
      orders: table(
        { id: 'integer', customer_id: 'integer', note: 'string' },
        Array.from({ length: orders }, (_, at) => [at, 1, note]),
      ),
      line: table({ id: 'integer', order_id: 'integer', title: 'string' }, [[1, 1, 'a line']]),
    },
    { batchSize: 500, ...options },
  )
}

/** Blobs that tell what they keep, and all they ever kept. */
export function listedBlobs() {
  const inner = memoryBlobs()
  const [kept, ever] = [new Set<string>(), new Set<string>()]
  const blobs: Blobs = {
    ...inner,
    async write(key, bytes) {
      await inner.write(key, bytes)
      kept.add(key)
      ever.add(key)
    },
    async delete(prefix) {
      for (const key of kept) if (key.startsWith(`${prefix}/`)) kept.delete(key)
      await inner.delete(prefix)
    },
  }
  return { blobs, kept, ever }
}

export async function open(options: ServiceOptions = {}, given = shop()) {
  const { blobs, kept, ever } = listedBlobs()
  const service = await openService([given], { blobs, ...options })
  const statuses = () =>
    service.events.flatMap((event) =>
      event.type === 'request' && event.step !== 'submitted' ? [`${event.status}`] : [],
    )
  /** What a canceled request must leave behind: its row, and nothing to hand over or to go on with. */
  const expectNothingLeft = async (requestId: string) => {
    await expect.poll(() => [...kept]).toEqual([])
    await expect.poll(() => service.storage.table('checkpoint').count()).toBe(0)
    expect(given.connector.openReads).toBe(0)
    expect(await service.privacy.requests.get(requestId)).toMatchObject({ status: 'canceled' })
    expect(await service.privacy.requests.packages(requestId)).toEqual([])
  }
  return { ...service, ...given, kept, ever, statuses, expectNothingLeft }
}
