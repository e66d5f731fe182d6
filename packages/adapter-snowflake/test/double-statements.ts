import { allTables, clonesOf, fromInformationSchema, grants, referencesOf, streamsOf } from './double-catalogue.js'
import type { DoubleAccount, ShapeResult } from './service-double.js'
import {
  type Evaluated,
  RefusedStatement,
  type ShapeParser,
  type StoredRow,
  shapeParser,
  syntaxError,
} from './shape-parser.js'

/** A table, whom its policies hide rows from, and which values they mask. */
export interface StoredTable {
  readonly name: string
  /** Default: BASE TABLE. */
  readonly type?: string
  readonly columns: readonly {
    readonly name: string
    readonly type: string
    readonly nullable?: boolean
    readonly length?: number
  }[]
  rows: StoredRow[]
  /** Days of time travel. Default: 1. */
  readonly retention?: number
  /** Without fail-safe. */
  readonly transient?: boolean
  readonly is?: 'dynamic' | 'iceberg' | 'hybrid'
  /** The tables that a view shows, by their names, views among them. Others may not be asked for. */
  readonly shows?: readonly string[]
  /** Tables that were cloned from another belong together. */
  readonly cloneGroup?: string
  /** Roles that see every row. Others see those of which this column is null. */
  readonly rowAccess?: { readonly roles: readonly string[]; readonly column: string }
  /** Roles that see the values of the column. */
  readonly masking?: { readonly roles: readonly string[]; readonly column: string }
}

export interface Session {
  readonly role: string
  readonly warehouse: string | undefined
  readonly parameters: Map<string, string>
  /** Rows of the tables before the transaction, while one has begun. */
  changed: StoredTable[] | undefined
}

const done: ShapeResult = { columns: ['status'], rows: [['Statement executed successfully.']], type: 20_992 }

/** Runs one of the statements that the connector makes, and refuses any other. */
export function runShape(
  account: DoubleAccount,
  session: Session,
  text: string,
  parameters: readonly (string | null)[],
): ShapeResult {
  if (text.startsWith('alter session set ')) return setParameters(session, text)
  if (text === 'begin transaction') {
    session.changed = allTables(account).map((table) => ({ ...table, rows: [...table.rows] }))
    return done
  }
  if (text === 'commit' || text === 'rollback') {
    if (text === 'rollback')
      for (const [at, table] of allTables(account).entries()) table.rows = session.changed?.[at]?.rows ?? table.rows
    session.changed = undefined
    return done
  }
  if (text.startsWith('show grants to role ')) return grants(account, text.slice('show grants to role '.length))
  if (text === 'show streams in account') return streamsOf(account)
  if (text.startsWith('show ')) return { columns: [], rows: [] }
  if (text === 'select current_role()') return { columns: ['CURRENT_ROLE()'], rows: [[session.role]] }
  withWarehouse(account, session)
  if (text.includes('snowflake.account_usage.')) return clonesOf(account, session, parameters)
  if (text.includes('get_object_references(')) return referencesOf(account, parameters)
  if (text === 'select 1') return { columns: ['1'], rows: [['1']] }
  const listed = /"([^"]+)"\.information_schema\.(\w+)/.exec(text)
  if (listed) return fromInformationSchema(account, session, listed[1]!, listed[2]!, text, parameters)
  const path = /(?:from|update) ((?:"(?:[^"]|"")*"\.?){3})/.exec(text)?.[1]
  const table = tableAt(account, path)
  const parser = shapeParser(text, parameters, new Set(table.columns.map(({ name }) => name)))
  const seen = visible(table, session.role)
  if (parser.accept('update')) return updated(parser, table, seen)
  if (parser.accept('delete')) return deleted(parser, table, seen)
  return selected(parser, seen)
}

function setParameters(session: Session, text: string): ShapeResult {
  const settings = text.slice('alter session set '.length)
  if (!/^(?:\w+ = (?:'[^']*'|\w+) ?)+$/.test(settings)) throw syntaxError(0)
  for (const [, name, value] of settings.matchAll(/(\w+) = ('[^']*'|\w+)/g)) session.parameters.set(name!, value!)
  return done
}

function withWarehouse(account: DoubleAccount, { warehouse }: Session): void {
  if (warehouse === undefined || !(warehouse in account.warehouses)) {
    throw new RefusedStatement('000606', '57P03', 'No active warehouse selected in the current session.')
  }
  if (account.warehouses[warehouse] === 'running') return
  throw new RefusedStatement(
    '090073',
    '22000',
    `Warehouse '${warehouse}' cannot be resumed because resource monitor has exceeded its quota.`,
  )
}

function tableAt(account: DoubleAccount, path: string | undefined): StoredTable {
  const [database = '', schema = '', name = ''] = (path?.match(/"(?:[^"]|"")*"/g) ?? []).map((part) =>
    part.slice(1, -1).replaceAll('""', '"'),
  )
  const table = account.databases[database]?.[schema]?.find((each) => each.name === name)
  if (table) return table
  throw new RefusedStatement(
    '002003',
    '42S02',
    `SQL compilation error: Object '${database}.${schema}.${name}' does not exist or not authorized.`,
  )
}

/** What the role sees of a table, beside the rows themselves. */
function visible(table: StoredTable, role: string): { readonly row: StoredRow; readonly shown: StoredRow }[] {
  const { rowAccess, masking } = table
  const rows =
    rowAccess && !rowAccess.roles.includes(role)
      ? table.rows.filter((row) => row[rowAccess.column] === null)
      : table.rows
  const isMasked = masking && !masking.roles.includes(role)
  return rows.map((row) => ({ row, shown: isMasked ? { ...row, [masking.column]: '***' } : row }))
}

type Seen = ReturnType<typeof visible>

function selected(parser: ShapeParser, seen: Seen): ShapeResult {
  parser.expect('select')
  if (parser.accept('count')) {
    parser.expect('(', '*', ')', 'from')
    parser.names()
    const counts = where(parser)
    return { columns: ['COUNT(*)'], rows: [[String(seen.filter(({ shown }) => counts(shown)).length)]] }
  }
  const values: Evaluated[] = [parser.value()]
  while (parser.accept(',')) values.push(parser.value())
  parser.expect('from')
  parser.names()
  const holds = where(parser)
  const rows = seen.filter(({ shown }) => holds(shown))
  return {
    columns: values.map((_, at) => `C${at}`),
    rows: rows.map(({ shown }) => values.map((value) => value(shown) as string | null)),
  }
}

function updated(parser: ShapeParser, table: StoredTable, seen: Seen): ShapeResult {
  parser.names()
  parser.expect('set')
  const set: [string, Evaluated][] = []
  do {
    const [column = ''] = parser.names()
    parser.expect('=')
    set.push([column, parser.value()])
  } while (parser.accept(','))
  const holds = where(parser)
  const touched = new Set(seen.filter(({ shown }) => holds(shown)).map(({ row }) => row))
  table.rows = table.rows.map((row) => {
    if (!touched.has(row)) return row
    const written = Object.fromEntries(set.map(([column, value]) => [column, value(row) as string | null]))
    for (const { name, nullable, length } of table.columns) {
      const value = written[name]
      if (value === null && nullable === false)
        throw new RefusedStatement('100072', '22000', 'NULL result in a non-nullable column')
      if (value != null && value.length > (length ?? Number.POSITIVE_INFINITY)) {
        throw new RefusedStatement('100078', '22000', `String '${value}' is too long and would be truncated`)
      }
    }
    return { ...row, ...written }
  })
  return {
    columns: ['number of rows updated', 'number of multi-joined rows updated'],
    rows: [[String(touched.size), '0']],
    type: 12_800,
  }
}

function deleted(parser: ShapeParser, table: StoredTable, seen: Seen): ShapeResult {
  parser.expect('from')
  parser.names()
  const holds = where(parser)
  const gone = new Set(seen.filter(({ shown }) => holds(shown)).map(({ row }) => row))
  table.rows = table.rows.filter((row) => !gone.has(row))
  return { columns: ['number of rows deleted'], rows: [[String(gone.size)]], type: 13_056 }
}

/** Every statement over a table says which rows it means. */
function where(parser: ShapeParser): (row: StoredRow) => boolean {
  parser.expect('where')
  const condition = parser.condition()
  if (parser.peek() !== undefined) throw syntaxError(-1)
  return (row) => condition(row) === true
}
