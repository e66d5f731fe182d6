import type { Fixture, FixtureKind, FixtureTable } from '@habeas/testkit'
import { customerKeys, type KeyForm, keyFormOf, type OwnedTable, tables } from './tables.js'

export const personName = (person: number): string => `p${person}`
export const emailOf = (person: number): string => `p${person}@example.com`

/** Rows of a person in each table but that of the customers. */
const rowsEach = 3

/** The rows of a table, without the names of its columns. */
function rowsOf({ name, key, to }: OwnedTable, people: number) {
  const owners = keyFormOf(to)
  const ownedByCustomer = to.startsWith('shop:customer.')
  return Array.from({ length: people * rowsEach }, (_, n) => {
    const person = n % people
    // the rows of the person in the table of the owners, in turn
    const owner = ownedByCustomer ? person : person + people * (n % rowsEach)
    return { n, id: key.of(n), owner: owners.of(owner), text: `${name} ${n}`, whose: personName(person) }
  })
}

const columnKind = ({ kind }: KeyForm): FixtureKind => (kind === 'object_id' ? 'string' : kind)

function fixtureTable(database: string, table: OwnedTable, people: number): FixtureTable {
  const [owners, name, column] = table.to.split(/[:.]/) as [string, string, string]
  return {
    name: table.name,
    primaryKey: ['id'],
    uniqueKeys: [],
    foreignKeys:
      owners === database
        ? [
            {
              name: `${table.name}_${name}`,
              onDelete: 'no action',
              columns: [table.reference],
              references: { collection: name, columns: [column] },
            },
          ]
        : [],
    columns: [
      { name: 'id', kind: columnKind(table.key) },
      { name: table.reference, kind: columnKind(keyFormOf(table.to)) },
      { name: table.text, kind: 'string', nullable: true },
      { name: 'whose', kind: 'string' },
    ],
    rows: rowsOf(table, people).map(({ id, owner, text, whose }) => ({
      ...{ id, [table.reference]: owner },
      ...{ [table.text]: text, whose },
    })),
  }
}

const customers = (people: number): FixtureTable => ({
  name: 'customer',
  primaryKey: ['id'],
  uniqueKeys: [['account']],
  foreignKeys: [],
  columns: [
    { name: 'id', kind: 'integer' },
    { name: 'account', kind: 'uuid' },
    { name: 'email', kind: 'string', nullable: true },
    { name: 'name', kind: 'string', nullable: true },
    { name: 'whose', kind: 'string' },
  ],
  rows: Array.from({ length: people }, (_, person) => ({
    id: customerKeys.id.of(person),
    account: customerKeys.account.of(person),
    email: emailOf(person),
    name: `name of ${personName(person)}`,
    whose: personName(person),
  })),
})

/** The collections of a database, whether or not one that they refer to is there. */
export const collectionNames = (database: string): readonly string[] => [
  ...(database === 'shop' ? ['customer'] : []),
  ...(tables[database] ?? []).map(({ name }) => name),
]

/** The tables of a database that is no MongoDB. */
export function fixtureOf(database: string, people: number): Fixture {
  const owned = (tables[database] ?? []).map((table) => fixtureTable(database, table, people))
  return database === 'shop' ? [customers(people), ...owned] : owned
}

const extendedJson: Readonly<Record<KeyForm['kind'], (value: string | number) => unknown>> = {
  integer: (value) => ({ $numberInt: String(value) }),
  big_integer: (value) => ({ $numberLong: value }),
  string: (value) => value,
  uuid: (value) => ({ $uuid: value }),
  object_id: (value) => ({ $oid: value }),
}

/** Documents as extended JSON, by collection. */
export function documentsOf(database: string, people: number): Readonly<Record<string, readonly object[]>> {
  const documents = (table: OwnedTable) =>
    rowsOf(table, people).map(({ n, id, owner, text, whose }) => ({
      _id: extendedJson[table.key.kind](id),
      [table.reference]: extendedJson[keyFormOf(table.to).kind](owner),
      [table.text]: text,
      ...(table.name === 'profile' && { home: { city: `city ${n}`, floor: { $numberInt: String(n) } } }),
      whose,
    }))
  return Object.fromEntries((tables[database] ?? []).map((table) => [table.name, documents(table)]))
}
