import pg from 'pg'
import { sharedServer } from '../../adapter-postgres/test/shared-server.js'
import { type CommandFolder, commandFolder, type Env } from './command-folder.js'

/** A small shop, without what differs between databases. */
export const shopTables = [
  'create table customer (id int primary key, email varchar(100) not null unique, name varchar(100), street varchar(100))',
  `create table orders (id int primary key, customer_id int not null, phone_number varchar(30),
    foreign key (customer_id) references customer (id))`,
  `create table review (id int primary key, customer_id int, body text,
    foreign key (customer_id) references customer (id))`,
  "insert into customer values (1, 'ann@example.com', 'Ann Lee', 'Main Street 1'), (2, 'bob@example.com', 'Bob Ray', 'Side Street 2')",
  "insert into orders values (1, 1, '555-0101'), (2, 2, '555-0102')",
  "insert into review values (1, 1, 'Arrived early.'), (2, 2, 'Arrived late.'), (3, null, 'Never arrived.')",
]

/** The files of somebody who has described the shop and answered everything. */
export const shopFiles = {
  'habeas.config.ts': `import { postgresConnector } from '@habeas/adapter-postgres'
import { defineConfig } from '@habeas/cli'

export default defineConfig({
  connections: {
    shop: { type: 'postgres', access: 'write', secrets: { url: process.env.SHOP_DATABASE_URL } },
  },
  service: { connectors: [postgresConnector()] },
})
`,
  'habeas/shop.yml': `# who buys from us
dataset:
  - service_key: shop
    connection_key: shop
    collections:
      - name: customer # one row each
        fields:
          - name: email
            # by this we find people
            service_meta: { identity: email, data_type: string }
            data_categories: [user.contact.email]
          - { name: id, service_meta: { primary_key: true, data_type: integer } }
          - { name: name, data_categories: [user.name] }
          - { name: street, data_categories: [user.contact.address.street] }
      - name: orders
        fields:
          - { name: id, service_meta: { primary_key: true } }
          - { name: customer_id, service_meta: { references: [{ dataset: shop, field: customer.id, direction: from }] } }
          - { name: phone_number, data_categories: [user.contact.phone_number], service_meta: { reviewed: true } }
      - name: review
        fields:
          - { name: id, service_meta: { primary_key: true } }
          - { name: customer_id, service_meta: { references: [{ dataset: shop, field: customer.id, direction: from }] } }
          - { name: body, data_categories: [user] }
`,
}

export interface Shop {
  readonly folder: CommandFolder
  /** The address of its database. Known once the tests run. */
  readonly url: string
  /** Runs statements, and answers the rows of the last one. */
  query(...statements: readonly string[]): Promise<Record<string, unknown>[]>
}

/** A folder beside a database of its own on the PostgreSQL of this worker. The tables are made by `query(...shopTables)`. */
export function postgresShop(files: Readonly<Record<string, string>> = {}, env: Env = {}): Shop {
  const server = sharedServer()
  const folder = commandFolder(files, () => ({ SHOP_DATABASE_URL: server.url, ...env }))
  return {
    folder,
    get url() {
      return server.url
    },
    async query(...statements) {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      try {
        let rows: Record<string, unknown>[] = []
        for (const statement of statements) ({ rows } = await client.query(statement))
        return rows
      } finally {
        await client.end()
      }
    },
  }
}
