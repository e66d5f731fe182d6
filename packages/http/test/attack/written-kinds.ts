import type { RowKind, Storage, Table } from '@habeas/core'

/** A storage that notes in `written` of which kinds rows were written, or tried to be. */
export function withWrittenKinds(storage: Storage, written: Set<RowKind>): Storage {
  return {
    ...storage,
    table: <Kind extends RowKind>(kind: Kind): Table<Kind> => {
      const table = storage.table(kind)
      const noted =
        <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
        (...given: Given): Promise<Result> => {
          written.add(kind)
          return call(...given)
        }
      const { insert, insertMany, replace, take } = table
      return {
        ...table,
        insert: noted(insert),
        insertMany: noted(insertMany),
        replace: noted(replace),
        take: noted(take),
      }
    },
    transaction: (work) => storage.transaction((within) => work(withWrittenKinds(within, written))),
  }
}
