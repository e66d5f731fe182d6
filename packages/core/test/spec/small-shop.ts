import { type Connector, defineConnector, type PrivacyService, type Row } from '../../src/index.js'

export interface SmallShop {
  readonly connector: Connector
  /** Names of the collections that were read, in order. */
  readonly reads: string[]
  /** The next read of this collection fails. */
  failNext(collection: string): void
  describeTo(privacy: PrivacyService): Promise<void>
}

const rows: Readonly<Record<string, readonly Readonly<Record<string, string | number>>[]>> = {
  customer: [
    { id: 1, email: 'ann@example.org', name: 'Ann' },
    { id: 2, email: 'ben@example.org', name: 'Ben' },
  ],
  orders: [
    { id: 10, customer_id: 1, title: 'a lamp' },
    { id: 20, customer_id: 2, title: 'a chair' },
  ],
  club: [
    { member: 7, nick: 'annie' },
    { member: 8, nick: 'benny' },
  ],
}

/** customer → orders, entered by email; club, entered by member alone. */
const dataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } },
        { name: 'name', data_categories: ['user'] },
      ],
    },
    {
      name: 'orders',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'customer_id', service_meta: { references: [{ dataset: 'shop', field: 'customer.id' }] } },
        { name: 'title', data_categories: ['user'] },
      ],
    },
    {
      name: 'club',
      fields: [
        { name: 'member', data_categories: ['user'], service_meta: { identity: 'member', primary_key: true } },
        { name: 'nick', data_categories: ['user'] },
      ],
    },
  ],
}

/** A database of three small tables, which gives all its rows to whoever asks: the engine sorts out what was asked for. */
export function smallShop(): SmallShop {
  const reads: string[] = []
  const failing = new Set<string>()
  const connector = defineConnector({
    type: 'small',
    category: 'database',
    capabilities: { maxKeys: 1_000, nestedFields: false },
    secrets: { parse: () => ({}) },
    async connect() {
      return {
        concurrency: 2,
        async ping() {},
        async describe() {
          const collections = Object.entries(rows).map(([name, [first = {}]]) => {
            const columns = Object.entries(first).map(([column, value]) => ({
              name: column,
              type: typeof value,
              nullable: false,
              kind: typeof value === 'number' ? ('integer' as const) : ('string' as const),
            }))
            const primaryKey = [columns[0]?.name ?? '']
            return { name, columns, primaryKey, uniqueKeys: [], foreignKeys: [], indexes: [primaryKey] }
          })
          return { collections }
        },
        async *read({ collection, columns }) {
          reads.push(collection)
          if (failing.delete(collection)) throw new Error('the database broke off')
          yield (rows[collection] ?? []).map((row): Row => columns.map((column) => row[column]))
        },
        async count(counts) {
          return counts.map(() => 0)
        },
        async close() {},
      }
    },
  })
  return {
    connector,
    reads,
    failNext: (collection) => void failing.add(collection),
    async describeTo(privacy) {
      await privacy.connections.put({ key: 'small', connectionType: 'small' as never })
      await privacy.connections.setSecrets('small', {}, { verify: false })
      await privacy.connections.attachDataset('small', dataset)
    },
  }
}
