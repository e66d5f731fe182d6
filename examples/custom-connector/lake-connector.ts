import {
  type CallOptions,
  type Connection,
  castValue,
  defineConnector,
  type Erase,
  filteredReads,
  type KeyGroup,
  PrivacyError,
  rowMatcher,
  tupleMatcher,
  type ValueKind,
  withMemberChanges,
} from '@habeas/core'
import * as z from 'zod'
import { type NewValue, rewrittenLine } from './json-line.js'
import { lakeColumns, schemaKinds } from './lake-columns.js'
import {
  failed,
  type LakeFile,
  type LakeRow,
  type LakeTable,
  lakeTable,
  linesOf,
  rowOfLine,
  tableNames,
  textOfLine,
} from './lake-files.js'
import { withLock } from './lake-lock.js'
import { type Rewritten, removeUnfinished, rewritten } from './lake-rewrite.js'

const batchBytes = 1024 * 1024

export interface LakeOptions {
  /** How long an erasure waits for another one in the same table. Default: 60. */
  readonly lockSeconds?: number
}

/** A connector over a folder of JSON lines: `orders/date=2026-01-01/part-0.jsonl`, with `orders/_schema.json` beside it. */
export function lakeConnector({ lockSeconds = 60 }: LakeOptions = {}) {
  return defineConnector({
    type: 'json_lake',
    name: 'Folder of JSON lines',
    category: 'database',
    capabilities: {
      ...{ maxKeys: 10_000, nestedFields: true, maxErased: 5_000 },
      // Each file is replaced whole or not at all, but a batch may touch several.
      ...{ transactions: false, rowLocks: false, enforcedKeys: false, sampled: true },
    },
    secrets: z.strictObject({ folder: z.string().min(1) }),
    connect: async ({ folder }) => lakeConnection(folder, lockSeconds),
  })
}

function lakeConnection(lake: string, lockSeconds: number): Connection {
  const closing = new AbortController()

  function begun({ signal }: CallOptions = {}): AbortSignal {
    const either = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal
    either.throwIfAborted()
    return either
  }

  async function tableOf(name: string): Promise<LakeTable> {
    const table = await lakeTable(lake, name)
    if (!table) throw failed('missing_collection', `There is no folder '${name}' in the lake: correct the dataset.`)
    return table
  }

  async function* candidates(collection: string, anyOf: readonly KeyGroup[], options?: CallOptions) {
    const signal = begun(options)
    const table = await tableOf(collection)
    const kinds = schemaKinds(table)
    let [batch, bytes]: [LakeRow[], number] = [[], 0]
    for (const file of table.files.filter((each) => anyOf.some((group) => mayHold(each, group)))) {
      for await (const line of linesOf(file.path, signal)) {
        const text = textOfLine(line, file.path)
        if (text === undefined) continue
        batch.push(rowOfLine(text, file, kinds))
        bytes += line.length
        if (bytes < batchBytes) continue
        yield batch
        signal.throwIfAborted()
        ;[batch, bytes] = [[], 0]
      }
    }
    yield batch
  }

  async function columns(collection: string, options?: CallOptions) {
    const signal = begun(options)
    const table = await lakeTable(lake, collection)
    return table && lakeColumns(table, signal)
  }

  const { methods, checked, checkOthers } = filteredReads({ columns, candidates })

  async function write(erase: Erase, anyOf: readonly KeyGroup[], fence?: () => Promise<void>): Promise<void> {
    const { collection, keys, rows } = erase
    const table = await tableOf(collection)
    const kinds = new Map((await lakeColumns(table, closing.signal)).map(({ name, kind }) => [name, kind]))
    const fields = erase.key.map((name) => ({ path: [name], ...kindMember(kinds.get(name)) }))
    const named = tupleMatcher({ fields, values: keys, exact: true })
    const meets = rowMatcher(anyOf)
    /** The position of the key that a row holds, if the row is one of the batch. */
    const positionOf = (file: LakeFile, text: string) => {
      const row = rowOfLine(text, file, schemaKinds(table))
      const [position] = named(row)
      return { position, isMet: position !== undefined && meets(row) }
    }
    let held = 0
    const touched = new Set<LakeFile>()
    for (const file of table.files) {
      for await (const line of linesOf(file.path, closing.signal)) {
        const text = textOfLine(line, file.path)
        if (text === undefined) continue
        const { position, isMet } = positionOf(file, text)
        if (position !== undefined) held++
        if (isMet) touched.add(file)
      }
    }
    if (rows === undefined ? held > (keys[0]?.length ?? 0) : held !== rows) {
      const message = `Rows of '${collection}' cannot be told apart by ${erase.key.join(', ')}: name a key that can in its schema.`
      throw new PrivacyError('unsupported', message, { reason: 'ambiguous_rows' })
    }
    const prepared: Rewritten[] = []
    for (const file of touched) {
      const change = (text: string) => {
        const { position, isMet } = positionOf(file, text)
        if (position === undefined || !isMet) return text
        if (erase.set === 'delete') return undefined
        return rewrittenLine(text, newValues(erase.set, position), kinds)
      }
      prepared.push(await rewritten(file, change, closing.signal))
    }
    await fence?.()
    begun()
    // From here on the batch is written to its end.
    for (const { replace } of prepared) await replace()
  }

  return {
    concurrency: 4,
    ...methods,
    async ping(options) {
      begun(options)
      await tableNames(lake)
    },
    async describe(options) {
      const signal = begun(options)
      const collections = []
      for (const name of await tableNames(lake)) {
        const table = await tableOf(name)
        collections.push({
          ...{ name, columns: await lakeColumns(table, signal) },
          ...{ primaryKey: table.schema.key, uniqueKeys: table.schema.uniqueKeys, foreignKeys: [], indexes: [] },
          ...(table.hidesRows && { hidesRows: true as const }),
        })
      }
      return { collections }
    },
    async erase(erase, { rollBack = false, fence } = {}) {
      const { collection, key, set } = erase
      const changed = set === 'delete' ? [] : set.map(({ column }) => column)
      begun()
      const anyOf = await checked(collection, [...key, ...changed], erase.anyOf)
      const message = 'A folder of files has no transactions to roll back.'
      if (rollBack) throw new PrivacyError('unsupported', message, { feature: 'transactions' })
      const table = await tableOf(collection)
      checkValues(erase, table)
      await withLock(table.folder, { seconds: lockSeconds, signal: closing.signal }, async () => {
        await removeUnfinished(table)
        await checkOthers(erase, 'before')
        try {
          await write(erase, anyOf, fence && (() => fence.confirm()))
        } finally {
          await removeUnfinished(table)
        }
        await checkOthers(erase, 'after')
      })
    },
    close: async () => closing.abort(failed('closed', 'The connection to the lake was closed.')),
  }
}

const kindMember = (kind: ValueKind | undefined) => (kind ? { kind } : {})

/** Whether rows of a file may meet a group, by what the names of its folders say. */
function mayHold({ partition }: LakeFile, { fields, values }: KeyGroup): boolean {
  return fields.every(({ path: [column = ''] }, part) => {
    if (!Object.hasOwn(partition, column)) return true
    const held = String(partition[column]).trim().toLowerCase()
    return Array.from(values[part] ?? []).some((value) => String(value).trim().toLowerCase() === held)
  })
}

/** The new values of the row at this position. */
function newValues(set: Exclude<Erase['set'], 'delete'>, position: number): ReadonlyMap<string, NewValue> {
  return new Map(
    set.map((assignment) => {
      const to = 'to' in assignment ? assignment.to : (assignment.toEach[position] ?? null)
      const was = 'to' in assignment ? undefined : assignment.was?.[position]
      return [assignment.column, (current) => (was === undefined ? to : withMemberChanges(current(), was, to))]
    }),
  )
}

/** A lake takes everything. What its readers would stumble over is refused here. */
function checkValues({ collection, set }: Erase, table: LakeTable): void {
  if (set === 'delete') return
  const kinds = schemaKinds(table)
  for (const assignment of set) {
    const { column } = assignment
    const values = 'to' in assignment ? [assignment.to] : assignment.toEach
    const kind = kinds.get(column)
    const isFolder = table.files.some(({ partition }) => Object.hasOwn(partition, column))
    const isChecked = kind !== undefined && !['string', 'bytes', 'object'].includes(kind)
    const isUnfit = isChecked && values.some((value) => value !== null && castValue(value, kind) === undefined)
    if (!isFolder && !isUnfit) continue
    const why = isFolder ? 'is the name of a folder' : `holds ${kind} only`
    const message = `'${column}' of '${collection}' ${why}: keep it with 'retain', or delete whole rows.`
    throw new PrivacyError('connection_failed', message, { reason: 'refused', column })
  }
}
