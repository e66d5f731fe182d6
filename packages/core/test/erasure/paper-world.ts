import { type PrivacyRequest, type RowKind, type Runtime, searchable } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { collection, field, refer } from '../engine/described.js'
import { key, tableWith } from './described-erasure.js'
import { erasureWorld } from './erasure-world.js'

export const shop = () => ({
  customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
    [1, 'ann@example.com', 'Ann'],
    [2, 'bob@example.com', 'Bob'],
  ]),
  orders: tableWith({ id: 'integer', customer_id: 'integer', remark: 'string' }, [
    [100, 1, 'ring twice'],
    [101, 2, 'leave it'],
  ]),
})

const ofCustomer = (name: string) => ({ ...refer(name, 'customer.id', { direction: 'from' }), data_categories: [] })

const shopDataset = {
  service_key: 'shop',
  collections: [
    collection('customer', [key, field('email', { identity: 'email' }), field('name')]),
    collection('orders', [key, ofCustomer('customer_id'), field('remark')]),
  ],
}

/** Letters on paper, which only people look at. */
const paper = (meta: Readonly<Record<string, unknown>> = {}) => ({
  service_key: 'paper',
  collections: [
    collection(
      'letters',
      [
        field('number', { primary_key: true, data_type: 'integer' }, []),
        ofCustomer('customer'),
        field('subject', { data_type: 'string' }),
        field('sender', { masking_strategy: { strategy: 'hash', configuration: {} } }),
        field('tray', { masking_strategy: { strategy: 'string_rewrite', configuration: { rewrite_value: 'X' } } }),
      ],
      meta,
    ),
  ],
})

export const letters = [
  { number: 7, customer: 1, subject: 'planted-one', sender: 'planted-ann', tray: 'planted-a' },
  { number: 8, customer: 1, subject: 'planted-two', sender: 'planted-ann', tray: 'planted-b' },
  { number: 9, customer: 1, subject: 'planted-three', sender: null, tray: null },
  { number: 10, customer: 1, subject: null, sender: null, tray: null },
]

type World = Awaited<ReturnType<typeof erasureWorld>>

/** What was answered to letters, in the database. */
const answers = {
  table: () =>
    tableWith({ id: 'integer', letter: 'integer', text: 'string' }, [
      [200, 7, 'hers'],
      [201, 11, 'his'],
    ]),
  described: collection('answers', [
    ...[key, { ...refer('letter', 'letters.number', { dataset: 'paper' }), data_categories: [] }, field('text')],
  ]),
}

interface PaperOptions {
  /** Letters have answers. */
  readonly answered?: boolean
  readonly collection?: Readonly<Record<string, unknown>>
  readonly access?: 'read' | 'write'
  readonly runtime?: Runtime
  readonly storage?: World['storage']
  readonly blobs?: World['blobs']
}

/** A shop in a database and an archive on paper, of which a person says what became of it. */
export async function paperWorld({ collection, access = 'write', answered, ...kept }: PaperOptions = {}) {
  const database = { ...shop(), ...(answered && { answers: answers.table() }) }
  const connector = memoryConnector({ database })
  const execution = { immediate: false }
  const described = answered ? [...shopDataset.collections, answers.described] : shopDataset.collections
  const world = await erasureWorld(connector, [{ ...shopDataset, collections: described }], { execution, ...kept })
  const { privacy } = world
  await privacy.connections.put({ key: 'archive', connectionType: 'manual', access })
  await privacy.connections.attachDataset('archive', paper(collection) as never)
  return {
    ...world,
    database,
    connector,
    get: (id: string): Promise<PrivacyRequest> => privacy.requests.get(id),
    /** Up to where somebody has to erase something. */
    async pausedAt(rows: readonly object[] = letters): Promise<string> {
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@example.com' }] })
      await privacy.requests.run()
      await privacy.requests.manualInput(id, rows as never)
      await privacy.requests.run()
      return id
    },
    async confirm(id: string, rowCount: number): Promise<PrivacyRequest> {
      await privacy.requests.confirmErasure(id, { rowCount })
      await privacy.requests.run()
      return privacy.requests.get(id)
    },
    async dump() {
      const kinds = Object.keys(searchable) as RowKind[]
      return JSON.stringify(await Promise.all(kinds.map((kind) => world.storage.table(kind).find())))
    },
  }
}
