import { randomUUID } from 'node:crypto'
import type { SchemaField } from '../../src/live-column.js'
import type { RawRow } from '../../src/row-values.js'
import type { Engine, Result } from './engine.js'
import { type Rest, restOf } from './rest.js'

interface Answer {
  readonly schema?: { readonly fields?: readonly SchemaField[] }
  readonly rows?: readonly RawRow[]
  readonly totalRows?: string
}

/** Statements run on an emulator, one by one. It has no transactions over jobs: tables are copied before they are written. */
export function emulatorEngine(address: string, project: string): Engine {
  const rest = restOf(address)
  return {
    run: (query, parameters) => run(rest, project, query, parameters),
    answer: (method, path) => rest(method, path),
    async begin() {
      const copies = new Map<string, string>()
      const dropped = async () => {
        for (const copy of copies.values()) await run(rest, project, `drop table ${copy}`, [])
      }
      return {
        async writes(table) {
          if (copies.has(table)) return
          const copy = `${table.slice(0, table.lastIndexOf('.'))}.\`copy_${randomUUID().replaceAll('-', '')}\``
          await run(rest, project, `create table ${copy} as select * from ${table}`, [])
          copies.set(table, copy)
        },
        commit: dropped,
        async rollBack() {
          for (const [table, copy] of copies) {
            await run(rest, project, `delete from ${table} where true`, [])
            await run(rest, project, `insert into ${table} select * from ${copy}`, [])
          }
          await dropped()
        },
      }
    },
  }
}

async function run(rest: Rest, project: string, query: string, queryParameters: readonly unknown[]): Promise<Result> {
  const jobId = `double_${randomUUID()}`
  const state = await rest<{ statistics?: { query?: { numDmlAffectedRows?: string } } }>(
    'POST',
    `/projects/${project}/jobs`,
    {
      jobReference: { jobId },
      configuration: {
        query: { query, useLegacySql: false, ...(queryParameters.length > 0 && { parameterMode: 'NAMED', queryParameters }) },
      },
    },
  )
  const page = (from: number, most: number) =>
    rest<Answer>('GET', `/projects/${project}/queries/${jobId}?startIndex=${from}&maxResults=${most}`)
  const first = await page(0, 0)
  return {
    fields: first.schema?.fields ?? [],
    total: Number(first.totalRows ?? 0),
    affected: Number(state.statistics?.query?.numDmlAffectedRows ?? 0),
    rows: async (from, most) => (await page(from, most)).rows ?? [],
  }
}
