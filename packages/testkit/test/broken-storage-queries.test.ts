import { storageContract } from '@habeas/testkit'
import { describe } from 'vitest'
import { foundOut } from './failing-cases.js'
import { type AnyQuery, type AnyRow, type AnyTable, faulty } from './faulty-storage.js'

const faultyFind = (find: (all: readonly AnyRow[], query: AnyQuery, table: AnyTable) => Promise<readonly AnyRow[]>) =>
  faulty((table) => ({ find: async (query = {}) => find(await table.find(), query, table) }))

const like = (pattern: string) =>
  new RegExp(
    pattern
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('%', '.*')
      .replaceAll('_', '.'),
  )

describe('storageContract, on queries', () => {
  foundOut(storageContract, [
    [
      'sorts text by locale',
      faultyFind(async (all) => [...all].sort((left, right) => left.id.localeCompare(right.id))),
      'find without a query gives all rows by id, text compared by code point',
    ],
    [
      'puts nulls where its server puts them',
      faultyFind(async (_all, query, table) => {
        const rows = await table.find(query)
        if (query.orderBy?.[0]?.direction !== 'desc') return rows
        return [...rows].sort(
          (left, right) => Number(left.connectionKey !== null) - Number(right.connectionKey !== null),
        )
      }),
      'orderBy puts nulls last in both directions',
    ],
    [
      'breaks ties downwards when sorting downwards',
      faultyFind(async (_all, query, table) => {
        if (query.orderBy?.[0]?.direction !== 'desc') return table.find(query)
        return table.find({ ...query, orderBy: [...query.orderBy, { field: 'id', direction: 'desc' }] })
      }),
      'orderBy breaks ties by the next field, then by id upwards',
    ],
    [
      'takes only the first field to sort by',
      faultyFind(async (_all, query, table) => table.find({ ...query, orderBy: query.orderBy?.slice(0, 1) ?? [] })),
      'orderBy breaks ties by the next field, then by id upwards',
    ],
    [
      'searches text by pattern',
      faultyFind(async (all, query, table) => {
        const { contains } = query.where?.searchText ?? {}
        return contains === undefined ? table.find(query) : all.filter((row) => like(contains).test(row.searchText))
      }),
      'startsWith and contains take every character literally and mind case',
    ],
    [
      'finds everything when in is empty',
      faultyFind(async (all, query, table) => (query.where?.connectionKey?.in?.length === 0 ? all : table.find(query))),
      'equals and in compare exactly, and an empty in matches nothing',
    ],
    [
      'takes null for empty text',
      faultyFind(async (all, query, table) =>
        query.where?.connectionKey?.isNull === true ? all.filter((row) => !row.connectionKey) : table.find(query),
      ),
      'isNull tells null and text apart, empty text included',
    ],
    [
      'lets null meet conditions',
      faultyFind(async (all, query, table) => {
        const found = await table.find(query)
        return all.filter((row) => found.includes(row) || row.connectionKey === null)
      }),
      'null meets no condition but isNull',
    ],
    [
      'heeds one condition only',
      faultyFind(async (_all, query, table) => {
        const [first] = Object.entries(query.where ?? {})
        return table.find({ ...query, where: first === undefined ? {} : Object.fromEntries([first]) })
      }),
      'conditions must all hold, on one field and over several',
    ],
    [
      'counts without conditions',
      faulty((table) => ({ count: () => table.count() })),
      'equals and in compare exactly, and an empty in matches nothing',
      'find uses the values that were written last',
    ],
    [
      'pages before it sorts',
      faultyFind(async (_all, { limit, offset, ...query }, table) => {
        const page = await table.find({
          where: query.where ?? {},
          ...(limit !== undefined && { limit }),
          ...(offset !== undefined && { offset }),
        })
        const sorted = await table.find(query)
        return sorted.filter((row) => page.includes(row))
      }),
      'limit and offset cut a page out of the ordered rows',
    ],
    [
      'takes a limit of none for no limit',
      faultyFind(async (_all, { limit, ...query }, table) => table.find(limit ? { ...query, limit } : query)),
      'limit and offset cut a page out of the ordered rows',
    ],
    [
      'takes lt for lte',
      faultyFind(async (all, query, table) => {
        const { lt } = query.where?.createdAt ?? {}
        return lt === undefined ? table.find(query) : all.filter(({ createdAt }) => createdAt <= lt)
      }),
      'lt, lte, gt and gte compare text by code point',
    ],
    [
      'tells absent fields from null',
      faultyFind(async (all, query, table) =>
        query.where?.connectionKey?.isNull === true
          ? all.filter(({ connectionKey }) => connectionKey === null)
          : table.find(query),
      ),
      'an absent field is null',
    ],
    [
      'sorts by code unit, as JavaScript does',
      faultyFind(async (all) => [...all].sort((left, right) => (left.id < right.id ? -1 : 1))),
      'find without a query gives all rows by id, text compared by code point',
    ],
    [
      'keeps numbers as text',
      faultyFind(async (_all, query, table) => {
        const rows = await table.find(query)
        if (query.orderBy === undefined) return rows
        return [...rows].sort((left, right) => String(left.connectionKey).localeCompare(String(right.connectionKey)))
      }),
      'numbers are compared as numbers',
    ],
    [
      'compares the beginning of long texts',
      faultyFind(async (_all, query, table) => {
        const equals = query.where?.connectionKey?.equals
        if (equals === undefined) return table.find(query)
        return table.find({ ...query, where: { connectionKey: { startsWith: equals.slice(0, 256) } } })
      }),
      'texts longer than an index holds are compared whole',
    ],
    [
      'keeps booleans as text',
      faulty((table) => ({
        find: async (query = {}) => {
          const all = (await table.find()) as readonly unknown[] as readonly { readonly disabled?: boolean }[]
          const { disabled } = (query.where ?? {}) as { disabled?: { equals: unknown } }
          if (disabled === undefined) return table.find(query)
          return all.filter((row) => String(row.disabled) === disabled.equals) as never
        },
      })),
      'boolean fields are compared, and sorted false before true',
    ],
  ])
})
