import type { Fixture, FixtureColumn, FixtureKind, FixtureRow, FixtureTable } from '@habeas/testkit'

/*
 * What four databases hold of the same people. Each refers to each of the others: PostgreSQL has customers, MongoDB their
 * profiles, BigQuery what they did, Snowflake what they paid. `whose` tells a test the person of a row, and no dataset
 * says anything about it.
 */

/** Beyond 2^53, where a double holds even numbers only. */
const big = (n: number): string => String(9_007_199_254_740_993n + BigInt(n))
const uuid = (kind: number, n: number): string =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(n).padStart(12, '0')}`
/** The 24 digits of an ObjectId. */
const objectId = (n: number): string => `65a0${String(n).padStart(20, '0')}`

export const personName = (person: number): string => `p${person}`
export const emailOf = (person: number): string => `p${person}@example.com`

/** Rows of a person in each table but the first. */
const rowsEach = 3

interface Numbers {
  readonly person: number
  /** Of the row, in its table. */
  readonly n: number
}

function table(
  name: string,
  kind: FixtureKind,
  columns: readonly FixtureColumn[],
  people: number,
  row: (numbers: Numbers) => FixtureRow,
): FixtureTable {
  const numbers = Array.from({ length: people * rowsEach }, (_, n) => ({ person: n % people, n }))
  return {
    name,
    primaryKey: ['id'],
    uniqueKeys: [],
    foreignKeys: [],
    columns: [{ name: 'id', kind }, ...columns, { name: 'whose', kind: 'string' }],
    rows: numbers.map(({ person, n }) => ({ ...row({ person, n }), whose: personName(person) })),
  }
}

const text = (name: string): FixtureColumn => ({ name, kind: 'string', nullable: true })

/** The number of a profile, a badge, an order, an event or an invoice that is the person's, other ones in turn. */
const ofPerson = ({ person, n }: Numbers, people: number) => person + people * (n % rowsEach)

export function postgresFixture(people: number): Fixture {
  const customer: FixtureTable = {
    name: 'customer',
    primaryKey: ['id'],
    uniqueKeys: [['account']],
    foreignKeys: [],
    columns: [
      { name: 'id', kind: 'integer' },
      { name: 'account', kind: 'uuid' },
      text('email'),
      text('name'),
      { name: 'whose', kind: 'string' },
    ],
    rows: Array.from({ length: people }, (_, person) => ({
      id: person + 1,
      account: uuid(1, person),
      email: emailOf(person),
      name: `name of ${personName(person)}`,
      whose: personName(person),
    })),
  }
  const orders = table(
    'orders',
    'big_integer',
    [{ name: 'customer_id', kind: 'integer' }, text('note')],
    people,
    ({ person, n }) => ({ id: big(n), customer_id: person + 1, note: `note ${n}` }),
  )
  return [
    customer,
    {
      ...orders,
      foreignKeys: [
        {
          name: 'orders_customer',
          onDelete: 'no action',
          columns: ['customer_id'],
          references: { collection: 'customer', columns: ['id'] },
        },
      ],
    },
    table('dispute', 'integer', [{ name: 'invoice_id', kind: 'big_integer' }, text('reason')], people, (numbers) => ({
      id: numbers.n,
      invoice_id: big(ofPerson(numbers, people)),
      reason: `reason ${numbers.n}`,
    })),
    table('review', 'integer', [text('profile'), text('words')], people, (numbers) => ({
      id: numbers.n,
      profile: objectId(ofPerson(numbers, people)),
      words: `words ${numbers.n}`,
    })),
    table('ticket', 'integer', [text('event'), text('body')], people, (numbers) => ({
      id: numbers.n,
      event: `event-${ofPerson(numbers, people)}`,
      body: `body ${numbers.n}`,
    })),
    table('viewed', 'integer', [{ name: 'badge', kind: 'uuid' }, text('remark')], people, (numbers) => ({
      id: numbers.n,
      badge: uuid(2, ofPerson(numbers, people)),
      remark: `remark ${numbers.n}`,
    })),
  ]
}

export function bigqueryFixture(people: number): Fixture {
  return [
    table('event', 'string', [text('account'), text('ip')], people, ({ person, n }) => ({
      id: `event-${n}`,
      account: uuid(1, person),
      ip: `192.0.2.${n}`,
    })),
    table('click', 'string', [text('profile'), text('url')], people, (numbers) => ({
      id: `click-${numbers.n}`,
      profile: objectId(ofPerson(numbers, people)),
      url: `/page/${numbers.n}`,
    })),
    table('charge', 'string', [{ name: 'invoice_id', kind: 'big_integer' }, text('card')], people, (numbers) => ({
      id: `charge-${numbers.n}`,
      invoice_id: big(ofPerson(numbers, people)),
      card: `card ${numbers.n}`,
    })),
  ]
}

export function snowflakeFixture(people: number): Fixture {
  return [
    table(
      'invoice',
      'big_integer',
      [{ name: 'order_id', kind: 'big_integer' }, text('address')],
      people,
      (numbers) => ({
        id: big(numbers.n),
        order_id: big(ofPerson(numbers, people)),
        address: `street ${numbers.n}`,
      }),
    ),
    table('statement', 'string', [text('profile'), text('words')], people, (numbers) => ({
      id: `statement-${numbers.n}`,
      profile: objectId(ofPerson(numbers, people)),
      words: `statement of ${numbers.n}`,
    })),
    table('slip', 'string', [text('event'), text('words')], people, (numbers) => ({
      id: `slip-${numbers.n}`,
      event: `event-${ofPerson(numbers, people)}`,
      words: `slip of ${numbers.n}`,
    })),
  ]
}

/** Documents as extended JSON, by collection. */
export function mongodbDocuments(people: number): Readonly<Record<string, readonly object[]>> {
  const numbers = Array.from({ length: people * rowsEach }, (_, n) => ({ person: n % people, n }))
  return {
    profile: numbers.map(({ person, n }) => ({
      _id: { $oid: objectId(n) },
      customer: { $numberInt: String(person + 1) },
      nick: `nick ${n}`,
      home: { city: `city ${n}`, floor: { $numberInt: String(n) } },
      whose: personName(person),
    })),
    message: numbers.map((each) => ({
      _id: { $oid: objectId(1000 + each.n) },
      profile: { $oid: objectId(ofPerson(each, people)) },
      body: `body ${each.n}`,
      whose: personName(each.person),
    })),
    badge: numbers.map((each) => ({
      _id: { $uuid: uuid(2, each.n) },
      event: `event-${ofPerson(each, people)}`,
      label: `label ${each.n}`,
      whose: personName(each.person),
    })),
    reminder: numbers.map((each) => ({
      _id: { $numberInt: String(each.n) },
      invoice: { $numberLong: big(ofPerson(each, people)) },
      words: `reminder ${each.n}`,
      whose: personName(each.person),
    })),
  }
}
