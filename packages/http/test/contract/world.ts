import { createPrivacyService, memoryBlobs, type PrivacyService, type PrivacyServiceOptions } from '@habeas/core'
import { fakeRuntime, type MemoryConnector, memoryConnector } from '@habeas/testkit'

/** Characters that forms, URLs and HTTP Basic each treat in their own way. */
export const root = { clientId: 'root client:1', clientSecret: 'root:secret/with+signs%41 & a blank, long enough' }

export const databasePassword = 'pa55word-of-the-database'

export const shopDataset = {
  service_key: 'shop',
  name: 'Shop',
  collections: [
    {
      name: 'customer',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
        { name: 'full_name', data_categories: ['user.name'] },
      ],
    },
    {
      name: 'orders',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        {
          name: 'customer_id',
          service_meta: { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] },
        },
        { name: 'note', data_categories: ['user'] },
      ],
    },
  ],
}

const shopDatabase = () => ({
  customer: {
    primaryKey: ['id'],
    rows: [
      { id: 1, email: 'ann@example.com', full_name: 'Ann Archer' },
      { id: 2, email: 'ben@example.com', full_name: 'Ben Bell' },
    ],
  },
  orders: {
    primaryKey: ['id'],
    rows: [
      { id: 10, customer_id: 1, note: 'leave at the door' },
      { id: 11, customer_id: 1, note: 'ring twice' },
      { id: 12, customer_id: 2, note: 'none' },
    ],
  },
})

export interface WorldOptions extends Partial<PrivacyServiceOptions> {
  /** True: the shop is described and linked to the connection `shop`. */
  readonly shop?: boolean
  /** Stands in for parts of the service. */
  readonly alter?: (privacy: PrivacyService) => PrivacyService
}

/** A service with a database behind it whose clock stands still; requests wait to be run unless `execution` says otherwise. */
export async function openWorld({
  shop = false,
  alter = (privacy) => privacy,
  security,
  ...options
}: WorldOptions = {}) {
  const runtime = fakeRuntime()
  const connector: MemoryConnector = memoryConnector({ database: shopDatabase() })
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    runtime,
    blobs: memoryBlobs(),
    connectors: [connector],
    execution: { immediate: false },
    security: { oauthRootClientId: root.clientId, oauthRootClientSecret: root.clientSecret, ...security },
    ...options,
  })
  if (shop) {
    await privacy.connections.put({ key: 'shop', connectionType: 'postgres' })
    await privacy.connections.setSecrets('shop', { host: 'db.example', password: databasePassword }, { verify: false })
    await privacy.connections.attachDataset('shop', shopDataset as never)
  }
  return { privacy: alter(privacy), runtime, connector }
}

export type World = Awaited<ReturnType<typeof openWorld>>
