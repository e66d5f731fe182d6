import { memoryStorage, type Storage, type Table } from '@habeas/core'

/** Any table: what the broken ones do has nothing to do with the kind of the rows. */
export type AnyTable = Table<'dataset'>
export type AnyRow = Parameters<AnyTable['insert']>[0]
export type AnyQuery = Parameters<AnyTable['find']>[0] & object
export type Fault = (table: AnyTable, storage: Storage) => Partial<AnyTable>

/** A storage whose tables, inside transactions too, have a fault. */
export const withTables = (storage: Storage, fault: Fault): Storage => ({
  table: (kind) => {
    const table = storage.table(kind) as unknown as AnyTable
    return { ...table, ...fault(table, storage) } as never
  },
  transaction: (work) => storage.transaction((inside) => work(withTables(inside, fault))),
  close: () => storage.close(),
})

/** Opens storages whose tables have a fault. */
export const faulty = (fault: Fault) => () => withTables(memoryStorage(), fault)

export const upsert = async (table: AnyTable, row: AnyRow): Promise<void> => {
  await table.take(row.id)
  await table.insert(row)
}
