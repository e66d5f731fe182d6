import type { Session, StoredTable } from './double-statements.js'
import type { DoubleAccount, ShapeResult } from './service-double.js'
import { RefusedStatement, syntaxError } from './shape-parser.js'

/** Every role has more than the privileges on policies that are asked for. */
export function grants({ mayAskForPolicies }: DoubleAccount, quotedRole: string): ShapeResult {
  const isFull = mayAskForPolicies.includes(quotedRole.slice(1, -1))
  const rows = [
    ['APPLY MASKING POLICY', 'ACCOUNT'],
    ...(isFull ? [['APPLY ROW ACCESS POLICY', 'ACCOUNT']] : [['APPLY ROW ACCESS POLICY', 'ROW_ACCESS_POLICY']]),
    ['APPLY PROJECTION POLICY', 'ACCOUNT'],
    ['APPLY AGGREGATION POLICY', 'ACCOUNT'],
    ['SELECT', 'TABLE'],
  ]
  return { columns: ['privilege', 'granted_on'], rows }
}

export function streamsOf({ streams = [] }: DoubleAccount): ShapeResult {
  const columns = ['name', 'database_name', 'schema_name', 'table_name', 'base_tables']
  return { columns, rows: streams.map(({ path, of }) => [path[2], path[0], path[1], of, of]) }
}

/** Only some roles may see what the account keeps. */
export function clonesOf(
  account: DoubleAccount,
  { role }: Session,
  [database, schema]: readonly unknown[],
): ShapeResult {
  if (!account.mayAskForClones?.includes(role)) {
    throw new RefusedStatement('002003', '02000', "Database 'SNOWFLAKE' does not exist or not authorized.")
  }
  const all = Object.entries(account.databases).flatMap(([database, schemas]) =>
    Object.entries(schemas).flatMap(([schema, tables]) => tables.map((table) => ({ path: [database, schema], table }))),
  )
  const rows = all.flatMap((own) => {
    if (own.path[0] !== database || own.path[1] !== schema || own.table.cloneGroup === undefined) return []
    const others = all.filter(({ table }) => table !== own.table && table.cloneGroup === own.table.cloneGroup)
    return others.map(({ path, table }) => [own.table.name, ...(path as [string, string]), table.name])
  })
  return { columns: ['OWN', 'CATALOG', 'SCHEMA', 'NAME'], rows }
}

export function referencesOf(account: DoubleAccount, parameters: readonly (string | null)[]): ShapeResult {
  const [database = '', schema = '', name = ''] = parameters.map((each) => each!.slice(1, -1))
  const tables = account.databases[database]?.[schema] ?? []
  const shows = tables.find((each) => each.name === name)?.shows
  if (!shows) throw new RefusedStatement('003001', '42501', `Insufficient privileges to operate on view '${name}'`)
  const typeOf = (shown: string) => (tables.find((each) => each.name === shown)?.shows ? 'VIEW' : 'TABLE')
  const rows = shows.map((shown) => [typeOf(shown), database, schema, shown])
  return { columns: ['TYPE', 'DATABASE', 'SCHEMA', 'NAME'], rows }
}

export function fromInformationSchema(
  account: DoubleAccount,
  { role }: Session,
  database: string,
  view: string,
  text: string,
  parameters: readonly (string | null)[],
): ShapeResult {
  const schemas = account.databases[database]
  if (!schemas)
    throw new RefusedStatement(
      '002003',
      '02000',
      `SQL compilation error: Database '${database}' does not exist or not authorized.`,
    )
  if (view === 'policy_references') {
    // what the role may not see is left out without a word
    if (!account.mayAskForPolicies.includes(role)) return { columns: ['0'], rows: [] }
    const hides = (path: string | null) =>
      allTables(account).some(({ name, rowAccess, masking }) => (rowAccess || masking) && path?.endsWith(`."${name}"`))
    return { columns: ['0'], rows: parameters.flatMap((path, at) => (hides(path) ? [[String(at)]] : [])) }
  }
  const [schema, one] = parameters
  if (view === 'schemata') return { columns: ['COUNT'], rows: [[String(Number(schema! in schemas))]] }
  const tables = (schemas[schema!] ?? []).filter(({ name }) => !text.includes('table_name = ?') || name === one)
  if (view === 'views') {
    return { columns: ['TABLE_NAME'], rows: tables.filter(({ shows }) => shows).map(({ name }) => [name]) }
  }
  if (view === 'tables') {
    const facts = ({ name, rows, retention = 1, transient = false, type = 'BASE TABLE', is }: StoredTable) => [
      ...[name, type, transient ? 'YES' : 'NO', String(retention), String(rows.length)],
      ...['dynamic', 'iceberg', 'hybrid'].map((each) => (is === each ? 'YES' : 'NO')),
    ]
    return {
      columns: [
        ...['TABLE_NAME', 'TABLE_TYPE', 'IS_TRANSIENT', 'RETENTION_TIME', 'ROW_COUNT'],
        ...['IS_DYNAMIC', 'IS_ICEBERG', 'IS_HYBRID'],
      ],
      rows: tables.map(facts),
    }
  }
  if (view !== 'columns') throw syntaxError(0)
  return {
    columns: [
      'TABLE_NAME',
      'COLUMN_NAME',
      'ORDINAL_POSITION',
      'DATA_TYPE',
      'IS_NULLABLE',
      'LENGTH',
      'SCALE',
      'COLLATION_NAME',
    ],
    rows: tables.flatMap(({ name, columns }) =>
      columns.map((column, at) => [
        ...[name, column.name, String(at + 1), column.type, column.nullable === false ? 'NO' : 'YES'],
        ...[column.length === undefined ? null : String(column.length), column.type === 'NUMBER' ? '0' : null, null],
      ]),
    ),
  }
}

export function allTables({ databases }: DoubleAccount): StoredTable[] {
  return Object.values(databases).flatMap((schemas) => Object.values(schemas).flat())
}
