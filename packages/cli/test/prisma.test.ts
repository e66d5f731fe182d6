import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { postgresShop, shopFiles } from './shop.js'

const schema = `datasource db {
  provider = "postgresql"
  url      = env("SHOP_DATABASE_URL")
  schemas  = ["billing", "public"]
}

/// Who buys from us.
model Customer {
  id       String     @id @db.Uuid
  email    String     @unique @map("email_address") @db.VarChar(100)
  name     String?    @default("nobody")
  tags     String[]
  visits   BigInt     @default(0)
  born     DateTime?  @db.Date
  wakes    DateTime?  @db.Time(0)
  since    DateTime   @default(now()) @db.Timestamptz(6)
  spent    Decimal    @db.Decimal(12, 2)
  extra    Json?
  picture  Bytes?
  level    Level      @default(FIRST)
  orders   Order[]
  groups   Group[]
  invoices Invoice[]
  friends  Customer[] @relation("Friends")
  friendOf Customer[] @relation("Friends")

  @@map("customers")
  @@schema("public")
}

enum Level {
  FIRST
  SECOND @map("second")

  @@schema("public")
}

model Order {
  shop       Int
  number     Int
  customerId String      @map("customer_id") @db.Uuid
  phone      String?     @map("phone_number") @db.Char(20)
  place      Unsupported("point")?
  customer   Customer    @relation(fields: [customerId], references: [id], onDelete: Cascade)
  lines      OrderLine[]

  @@id([shop, number])
  @@unique([customerId, number(sort: Desc)], map: "order_once")
  @@schema("public")
}

model OrderLine {
  id     Int    @id @default(autoincrement())
  shop   Int
  number Int
  what   String
  order  Order  @relation(fields: [shop, number], references: [shop, number], map: "line_of_order")

  @@schema("public")
}

model Group {
  id      Int        @id
  title   String
  members Customer[]

  @@schema("public")
}

model Invoice {
  id         Int      @id
  customerId String   @db.Uuid
  customer   Customer @relation(fields: [customerId], references: [id])

  @@schema("billing")
}
`

/** The statements by which Prisma's own migration makes it. */
const statements = [
  'create schema billing',
  `create type "Level" as enum ('FIRST', 'second')`,
  `create table customers (id uuid primary key, email_address varchar(100) not null unique, name text default 'nobody', tags text[],
    visits bigint not null default 0, born date, wakes time(0), since timestamptz(6) not null default current_timestamp,
    spent decimal(12, 2) not null, extra jsonb, picture bytea, level "Level" not null default 'FIRST')`,
  `create table "Order" (shop int not null, number int not null, customer_id uuid not null references customers on delete cascade on update cascade,
    phone_number char(20), place point, primary key (shop, number))`,
  'create unique index order_once on "Order" (customer_id, number desc)',
  `create table "OrderLine" (id serial primary key, shop int not null, number int not null, what text not null,
    constraint line_of_order foreign key (shop, number) references "Order" on delete restrict on update cascade)`,
  'create table "Group" (id int primary key, title text not null)',
  `create table "_CustomerToGroup" ("A" uuid not null references customers on delete cascade on update cascade,
    "B" int not null references "Group" on delete cascade on update cascade)`,
  'create unique index "_CustomerToGroup_AB_unique" on "_CustomerToGroup" ("A", "B")',
  `create table "_Friends" ("A" uuid not null references customers on delete cascade on update cascade,
    "B" uuid not null references customers on delete cascade on update cascade)`,
  'create unique index "_Friends_AB_unique" on "_Friends" ("A", "B")',
  'create table billing."Invoice" (id int primary key, "customerId" uuid not null references customers on delete restrict on update cascade)',
]

const { folder, query } = postgresShop({
  'habeas.config.ts': shopFiles['habeas.config.ts'],
  'prisma/schema.prisma': schema,
})
const file = 'habeas/shop.yml'

beforeAll(async () => {
  await query(...statements)
})

interface Described {
  readonly collections: readonly { readonly name: string; readonly fields: readonly { readonly name: string }[] }[]
}

function described(): Described['collections'] {
  const { dataset } = parse(folder.read(file)) as { dataset: [Described] }
  folder.remove(file)
  return dataset[0].collections.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

it('a Prisma schema gives the draft that its database gives', async () => {
  expect(await folder.run(['draft'])).toMatchObject({ exitCode: 0 })
  const ofDatabase = described()
  const { exitCode, stderr } = await folder.run(['draft', 'shop', '--prisma', 'prisma/schema.prisma'])
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `shop: habeas/shop.yml is made.
  Tables and views of the schema 'billing' are left out: add a connection whose db_schema is 'billing'.
Next: 'habeas answer' asks what only people know, and 'habeas check' says what is missing.
`,
  })
  expect(described()).toEqual(ofDatabase)
  expect(ofDatabase.map(({ name }) => name)).toEqual([
    ...['Group', 'Order', 'OrderLine', '_CustomerToGroup', '_Friends', 'customers'],
  ])
})

it('what is wrong with a schema is said with its place, and how to go on', async () => {
  folder.write('prisma/broken/one.prisma', 'model One {\n  id Int @@\n}\n')
  folder.write('prisma/other/one.prisma', 'model One {\n  id Int @id\n  @@schema("billing")\n}\n')
  folder.write('prisma/none/README.md', '')
  const said = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await folder.run(['draft', ...args])
    expect(exitCode).toBe(2)
    return stderr
  }
  expect(await said('--prisma', 'prisma/nowhere')).toContain("There is no file or folder 'prisma/nowhere'")
  expect(await said('--prisma', 'prisma/none')).toContain('no file that ends in .prisma')
  expect(await said('--prisma', 'prisma/broken')).toContain(
    'prisma/broken/one.prisma, line 2, column 12, cannot be read',
  )
  expect(await said('--prisma', 'prisma/other')).toContain(
    "tables in billing only: say one of them as db_schema of the connection 'shop'",
  )
  expect(folder.has(file)).toBe(false)
})
