import { randomUUID } from 'node:crypto'
import type { SchemaField } from '../../src/live-column.js'
import type { RawRow } from '../../src/row-values.js'
import type { Engine, Result } from './engine.js'
import { type Rest, RestError, restOf } from './rest.js'

interface Answer {
  readonly schema?: { readonly fields?: readonly SchemaField[] }
  readonly rows?: readonly RawRow[]
  readonly totalRows?: string
}

interface State {
  readonly status?: { readonly errorResult?: { readonly reason: string; readonly message: string } }
  readonly statistics?: { readonly query?: { readonly numDmlAffectedRows?: string } }
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

/** The words of the service for what the emulator refuses as well. */
function asTheService(message: string): string {
  const [, column] = /NOT NULL constraint failed: [^.]+\.(\S+)/.exec(message) ?? []
  return column === undefined ? message : `Required field ${column} cannot be null`
}

/** A member that no document has. */
const nowhere = `'$.habeas_nowhere'`

/** It writes the first pair of a path and a value alone, and makes what is missing: each pair gets a call of its own. */
function withSinglePairs(query: string): string {
  const start = query.indexOf('json_set(')
  if (start === -1) return query
  const { args, end } = argsOf(query, start + 'json_set('.length)
  // the last is create_if_missing
  const [document = '', ...pairs] = args.slice(0, -1)
  const written = pairs.reduce((inner, path, at) => {
    if (at % 2 === 1) return inner
    const place = `if(json_query(${document}, ${path}) is null, ${nowhere}, ${path})`
    return `json_set(${inner}, ${place}, ${pairs[at + 1]!})`
  }, document)
  return `${query.slice(0, start)}json_remove(${written}, ${nowhere})${withSinglePairs(query.slice(end))}`
}

/** The arguments of a call from the position behind its parenthesis. */
function argsOf(query: string, from: number): { readonly args: readonly string[]; readonly end: number } {
  const args: string[] = []
  const token = /`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'|[()[\],]/g
  token.lastIndex = from
  let [depth, begin] = [0, from]
  for (let match = token.exec(query); match; match = token.exec(query)) {
    const [sign] = match
    if ('(['.includes(sign)) depth++
    else if (')]'.includes(sign) && depth > 0) depth--
    else if (depth === 0 && ',)'.includes(sign)) {
      args.push(query.slice(begin, match.index).trim())
      begin = match.index + 1
      if (sign === ')') return { args, end: begin }
    }
  }
  throw new Error(`A call does not end: ${query}`)
}

async function run(rest: Rest, project: string, query: string, queryParameters: readonly unknown[]): Promise<Result> {
  const jobId = `double_${randomUUID()}`
  const bound = queryParameters.length > 0 && { parameterMode: 'NAMED', queryParameters }
  const { status, statistics } = await rest<State>('POST', `/projects/${project}/jobs`, {
    jobReference: { jobId },
    configuration: { query: { query: withSinglePairs(query), useLegacySql: false, ...bound } },
  })
  const failed = status?.errorResult
  if (failed) throw new RestError(400, failed.reason, asTheService(failed.message))
  const page = (from: number, most: number) =>
    rest<Answer>('GET', `/projects/${project}/queries/${jobId}?startIndex=${from}&maxResults=${most}`)
  const first = await page(0, 0)
  return {
    fields: first.schema?.fields ?? [],
    total: Number(first.totalRows ?? 0),
    affected: Number(statistics?.query?.numDmlAffectedRows ?? 0),
    rows: async (from, most) => (await page(from, most)).rows ?? [],
  }
}
