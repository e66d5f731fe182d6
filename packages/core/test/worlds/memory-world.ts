import type { ForeignKey, ValueKind } from '@habeas/core'
import { type MemoryCollection, type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import type { ColumnType, World, WorldTable } from './world.js'
import type { Dump, WorldStore } from './world-store.js'

const kinds: Readonly<Record<ColumnType, ValueKind>> = {
  integer: 'integer',
  bigint: 'integer',
  numeric: 'decimal',
  uuid: 'uuid',
  text: 'string',
  no_case: 'string',
}

function collectionOf({ tables, rows }: World, table: WorldTable): MemoryCollection {
  const { key, keyed, columns, references } = table
  const all = [...key, ...columns, ...references.flatMap((reference) => reference.columns)]
  const foreignKeys = references.flatMap(({ name, to, columns: own, toColumns, onDelete }): ForeignKey[] => {
    const isNear = tables.find((each) => each.name === to)?.dataset === table.dataset
    if (!onDelete || !isNear) return []
    return [
      {
        name: `${name}_fkey`,
        columns: own.map((column) => column.name),
        onDelete,
        references: { collection: to, columns: toColumns },
      },
    ]
  })
  return {
    columns: all.map(({ name, type, nullable }) => ({ name, kind: kinds[type], nullable })),
    primaryKey: keyed ? key.map(({ name }) => name) : [],
    uniqueKeys: columns.filter(({ unique }) => unique).map(({ name }) => [name]),
    foreignKeys,
    rows: [...rows.values()].filter((row) => row.table === table.name).map(({ values }) => ({ ...values })),
  }
}

/** A world in memory. */
export function memoryWorld(world: World): WorldStore {
  const databases = Object.fromEntries(
    (['a', 'b'] as const).map((dataset): [string, MemoryDatabase] => [
      dataset,
      Object.fromEntries(
        world.tables
          .filter((table) => table.dataset === dataset)
          .map((table) => [table.name, collectionOf(world, table)]),
      ),
    ]),
  )
  const collection = (name: string) => Object.values(databases).find((each) => each[name])?.[name] as MemoryCollection
  const dump = (): Dump =>
    new Map(
      Object.values(databases).flatMap((database) =>
        Object.values(database).flatMap(({ rows }) => rows.map((row) => [String(row['row_tag']), { ...row }] as const)),
      ),
    )
  return {
    connector: memoryConnector({ databases, batchSize: 100 }),
    secrets: (dataset) => ({ host: 'h', dbname: dataset }),
    dump: async () => dump(),
    async write(decide) {
      const before = dump()
      const change = decide(before)
      if (!change) return undefined
      for (const { row, values } of change.set) {
        const held = collection(row.table).rows.find((each) => each['row_tag'] === row.id)
        if (held) Object.assign(held, values)
      }
      for (const row of change.inserted) collection(row.table).rows.push({ ...row.values })
      return { before, after: dump() }
    },
    close: async () => {},
  }
}
