import type { ForeignKey, Value } from '@habeas/core'
import type { TableKind } from './world-shape.js'

/* A world with a hidden truth: tables of rows, each with what nobody but the test knows, who they belong to. */

/** What a reference means in truth. */
export type Role =
  /** The row belongs to whoever owns what it points to. */
  | 'owner'
  /** So it does, and there is another one. */
  | 'party'
  /** The row is another name of the person it points to. */
  | 'names'
  /** What it points to belongs to the person of this row. */
  | 'theirs'
  /** Somebody who only deals with the row. */
  | 'handler'
  /** What the row hangs on, whoever that belongs to. */
  | 'parent'
  /** Something that is nobody's. */
  | 'catalogue'

export type ColumnType = 'integer' | 'bigint' | 'numeric' | 'uuid' | 'text' | 'no_case'

export interface WorldColumn {
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  readonly unique?: boolean
}

export interface WorldReference {
  readonly name: string
  readonly role: Role
  /** Name of the table it points to. */
  readonly to: string
  readonly columns: readonly WorldColumn[]
  readonly toColumns: readonly string[]
  readonly nullable: boolean
  /** Its live foreign key. */
  readonly onDelete?: ForeignKey['onDelete']
  /** Whether the dataset has it, and with its direction. */
  readonly said: 'with direction' | 'without' | 'no'
  /** Its name does not tell that it makes nothing anybody's. */
  readonly neutral: boolean
}

/** How a row is found to be what it is, on a real server. */
export type Special = 'partitioned' | 'view' | 'skipped view' | 'touched' | 'restored' | 'generated' | 'read generated'

export interface WorldTable {
  readonly name: string
  readonly dataset: 'a' | 'b'
  readonly kind: TableKind
  readonly key: readonly WorldColumn[]
  readonly keyed: boolean
  /** Beyond the key and the references. */
  readonly columns: readonly WorldColumn[]
  readonly references: readonly WorldReference[]
  readonly said: 'described' | 'skipped' | 'no'
  readonly targeted: boolean
  /** What the dataset says of the owner. */
  readonly owner?: readonly string[]
  /** Identity properties by column. */
  readonly identities: Readonly<Record<string, string>>
  readonly placeholders: Readonly<Record<string, string>>
  readonly onShared: 'retain' | 'erase'
  readonly others: boolean
  readonly deletes: boolean
  readonly special?: Special
}

export interface WorldRow {
  /** Unique in the world; the row carries it in the column `row_tag`, and in every text of its own. */
  readonly id: string
  readonly table: string
  readonly values: Readonly<Record<string, Value>>
  /** Row ids by reference. */
  readonly points: Readonly<Record<string, string | null>>
  /** Persons it belongs to by itself, whatever references say. */
  readonly by: readonly number[]
}

/** Row by id. What others do during a run makes a new one. */
export type Rows = ReadonlyMap<string, WorldRow>

export interface Person {
  readonly email: string
  /** Maybe somebody else's by now. */
  readonly pastEmail: string
  readonly phone: string
  readonly code: string
}

export interface World {
  readonly tables: readonly WorldTable[]
  readonly rows: Rows
  readonly people: readonly Person[]
  readonly declared: boolean
  /** Every direction and every owner that is worth saying is said. */
  readonly complete: boolean
  readonly second: 'there' | 'read-only' | 'disabled' | 'missing'
  readonly store: 'memory' | 'postgres'
  readonly identities: readonly Readonly<Record<string, string>>[]
}

/** The person who asks. */
export const subject = 0

export const tableOf = (world: Pick<World, 'tables'>, name: string): WorldTable =>
  world.tables.find((table) => table.name === name) as WorldTable

const passesOn: readonly Role[] = ['owner', 'party', 'names']

/** Whose every row is, in truth: the smallest answer in which what belongs together agrees. */
export function ownersOf({ tables }: Pick<World, 'tables'>, rows: Rows): ReadonlyMap<string, ReadonlySet<number>> {
  const owners = new Map([...rows.values()].map(({ id, by }) => [id, new Set(by)]))
  const ways = tables.flatMap(({ name, references }) =>
    references.flatMap(({ name: reference, role }) =>
      passesOn.includes(role) || role === 'theirs' ? [{ table: name, reference, up: role === 'theirs' }] : [],
    ),
  )
  const byTable = new Map(tables.map(({ name }) => [name, [...rows.values()].filter(({ table }) => table === name)]))
  for (let grew = true; grew; ) {
    grew = false
    for (const { table, reference, up } of ways) {
      for (const row of byTable.get(table) ?? []) {
        const target = row.points[reference]
        if (target === null || target === undefined) continue
        const [from, to] = up ? [row.id, target] : [target, row.id]
        const known = owners.get(to) as Set<number>
        const size = known.size
        for (const person of owners.get(from) as Set<number>) known.add(person)
        grew ||= known.size > size
      }
    }
  }
  return owners
}
