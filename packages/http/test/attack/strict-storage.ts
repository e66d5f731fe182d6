import type { RowKind, Storage, Table } from '@habeas/core'

/**
 * A storage that is as strict as a database is about text and numbers: what it cannot keep or look for is an error that
 * nobody foresaw, instead of being kept in memory all the same.
 */
export function strictStorage(storage: Storage): Storage {
  return {
    ...storage,
    table: <Kind extends RowKind>(kind: Kind) => strictTable(storage.table(kind)),
    transaction: (work) => storage.transaction((within) => work(strictStorage(within))),
  }
}

function strictTable<Kind extends RowKind>(table: Table<Kind>): Table<Kind> {
  const checked =
    <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      refuse(given)
      return call(...given)
    }
  return {
    get: checked(table.get),
    find: checked(table.find),
    count: checked(table.count),
    insert: checked(table.insert),
    insertMany: checked(table.insertMany),
    replace: checked(table.replace),
    take: checked(table.take),
  }
}

function refuse(value: unknown): void {
  if (typeof value === 'string' && /\p{Surrogate}|\0/u.test(value))
    throw new Error(`invalid byte sequence in ${JSON.stringify(value)}`)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is no number of JSON`)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    refuse(name)
    refuse(member)
  }
}
