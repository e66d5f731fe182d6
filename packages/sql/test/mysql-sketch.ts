import { type Connector, connectionParts, defineConnector, parseSecrets, type ValueKind } from '@habeas/core'
import * as habeas from '@habeas/sql'
import { MysqlQueryCompiler, sql } from 'kysely'
import mysql from 'mysql2'

/** MySQL and MariaDB over `@habeas/sql`. It knows tables of utf8mb4 alone: no views, no triggers, no unsigned 64 bits. */
export const mysqlSketch = (type: 'mysql' | 'mariadb'): Connector =>
  defineConnector({
    type,
    category: 'database',
    capabilities: { maxKeys: 2_000, nestedFields: false, maxErased: 1_000, fencing: true },
    secrets: { parse: (input) => parseSecrets(type, input) },
    async connect(secrets) {
      const { host = '', database: schema = '', ...login } = connectionParts(secrets)
      return habeas.createSqlConnection({
        driver: mysqlDriver({ host, database: schema, ...login }, secrets.url !== undefined),
        dialect: mysqlDialect(type),
        catalogue: habeas.listedCatalogue({ schema, list, live, isLoose }),
        errors,
        fencing,
        schema,
      })
    },
  })

type MysqlColumn = habeas.TypedColumn & { readonly collation: string }
const isLoose = ({ family }: MysqlColumn) => family === 'string'
const forms = { rowsAsArray: true, supportBigNumbers: true, dateStrings: true, jsonStrings: true, charset: 'utf8mb4' }

const mysqlDriver = (settings: mysql.ConnectionOptions, url: boolean): habeas.SqlDriver => ({
  async open() {
    if (!settings.host) throw habeas.missingHostFailure(url, 'mysql://user@host:3306/database')
    const line = mysql.createConnection({ ...forms, ...settings, maxPreparedStatements: 64 }).on('error', () => {})
    const session = line.promise()
    await session.query("set time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'")
    // not every statement without parameters can be prepared
    const how = ({ parameters }: habeas.Statement) => (parameters.length > 0 ? 'execute' : 'query')
    const bound = ({ sql, parameters }: habeas.Statement) => ({ sql, values: [...parameters] as never })
    const statements = habeas.streamingSession({
      async *rows(statement) {
        for await (const row of line[how(statement)](bound(statement)).stream({ highWaterMark: 16 })) yield [row]
      },
      async run(statement) {
        const [result] = await (session[how(statement)] as typeof session.query).call(session, bound(statement))
        return Array.isArray(result) ? result : (result as mysql.ResultSetHeader).affectedRows
      },
      survives: (error) => !(error as mysql.QueryError).fatal,
    })
    return {
      ...statements,
      onGone: (listener) => void line.on('error', listener).on('end', listener),
      async cancel() {
        const other = mysql.createConnection(settings).on('error', () => {})
        other.query(`kill query ${line.threadId}`, () => other.destroy())
      },
      end: () => session.end(),
      destroy: () => line.destroy(),
    }
  },
})

const text = (value: unknown) => sql`convert(${value} using utf8mb4)`
const json = (value: unknown) => sql`json_extract(${value}, '$')`
const placeOf = (guard: unknown, path: string) => sql`if(${guard}, ${path}, '$[4294967295]')`

const mysqlDialect = (type: 'mysql' | 'mariadb') =>
  habeas.parameterDialect<MysqlColumn>({
    createCompiler: () => new MysqlQueryCompiler(),
    read({ family }, value) {
      if (family === 'timestamp') return sql`date_format(${value}, '%Y-%m-%dT%H:%i:%s.%fZ')`
      return family === 'bytes' ? sql`replace(to_base64(${value}), ${'\n'}, '')` : value
    },
    parserOf: ({ family }) => (family === 'boolean' ? (raw) => Number(raw) === 1 : undefined),
    casts: {
      ...{ integer: 'signed', boolean: 'signed', decimal: 'decimal(65, 30)', float: 'double' },
      ...{ date: 'date', timestamp: 'datetime(6)' },
    },
    typed({ family, collation }, value) {
      if (family === 'bytes') return sql`from_base64(${value})`
      return family === 'object' ? value : sql`${text(value)} collate ${sql.raw(collation)}`
    },
    text,
    exact: (value) => sql`cast(${value} as binary)`,
    // a set of characters in which only ASCII letters have two cases, over the bytes of UTF-8
    smallLetters: (value) => sql`cast(lower(convert(cast(${value} as binary) using tis620)) as binary)`,
    matches: (value, pattern) => sql`${value} regexp ${pattern}`,
    documents: {
      member: (document, path) => sql`json_extract(${document}, ${path})`,
      same: (member, form) =>
        type === 'mysql' ? sql`${json(member)} = ${json(form)}` : sql`json_equals(${member}, ${form})`,
      replaced: (document, guard, path, to) => sql`json_replace(${document}, ${placeOf(guard, path)}, ${json(to)})`,
      removed: (document, guard, path) => sql`json_remove(${document}, ${placeOf(guard, path)})`,
    },
    update: (table, from, set, where) => sql`update ${from ? sql`${table}, ${from}` : table} set ${set} where ${where}`,
    remove: (table, from, where) =>
      sql`delete from ${table}${from ? sql` using ${table}, ${from}` : sql``} where ${where}`,
    lock: { writing: () => sql`for update`, reading: () => sql`lock in share mode` },
  })

const errors: habeas.DriverErrors = {
  codes: 'error',
  codeOf: ({ errno = 0, code }: mysql.QueryError) => (errno > 0 ? String(errno) : code),
  isServers: ({ sqlState }: mysql.QueryError) => sqlState !== undefined,
  known: {
    1045: ['authentication', 'The server did not accept the user and password: check both.'],
    1049: ['database_missing', 'The server has no such database: check database.'],
  },
  missing: new Set(['1146', '1054']),
  conflicts: new Set(['1213']),
  lockTimeouts: new Set(['1205']),
  stopped: new Set(['1317', '3024', '1969']),
  forbidden: new Set(['1142', '1143']),
  refusals: /^(?:1048|1062|1264|1265|1292|1366|1406|1451|1452|1644|3140|3819|4025)$/,
  refusingRule: habeas.ruleInMessage(
    /(?:CONSTRAINT `|^Check constraint '| for key ')([^`']+)[`'](?= |\.$|$)/,
    /^Column '([^']+)' cannot be null$/,
  ),
}

const fencing = habeas.namedLocks({ take: 'get_lock', release: 'release_lock', holder: 'is_used_lock' })
type Listed = habeas.ListedColumn & { readonly collation: string; readonly json: unknown }

/** The session is in UTC, and so is every DATETIME of these tables. */
const ownKinds: Partial<Record<string, ValueKind>> = { 'tinyint(1)': 'boolean', 'datetime(6)': 'timestamp' }

function live({ type, collation, json }: Listed) {
  const kind = json ? 'object' : (ownKinds[type] ?? habeas.kindOfType(type))
  return { ...(kind && { kind }), family: kind ?? (/blob|binary/.test(type) ? 'bytes' : 'string'), collation } as const
}

async function list(ask: habeas.Ask, one?: string): Promise<habeas.ListedTables<Listed>> {
  const rows = async (from: string, members: string): Promise<never[]> => {
    const text = `select json_object('collection', t.table_name, ${members}) from information_schema.${from}
      where t.table_schema = database() and t.table_name = coalesce(?, t.table_name)`
    return (await ask(text, [one ?? null])).map(([row]) => JSON.parse(String(row)) as never)
  }
  return {
    columns: await rows(
      'columns t',
      `'name', column_name, 'position', ordinal_position, 'type', column_type, 'nullable', is_nullable = 'YES',
      'length', character_maximum_length, 'generated', extra like '%GENERATED', 'collation', collation_name,
      'json', data_type = 'longtext' and exists (select 1 from information_schema.check_constraints
      where check_clause = concat('json_valid(\`', column_name, '\`)'))`,
    ),
    keyParts: await rows(
      'statistics t',
      `'key', index_name, 'column', column_name, 'position', seq_in_index, 'use', case when index_name = 'PRIMARY'
      then 'primary' when non_unique or sub_part is not null then 'index' else 'unique' end`,
    ),
    foreignKeyParts: await rows(
      'key_column_usage t join information_schema.referential_constraints using (constraint_schema, constraint_name)',
      `'key', constraint_name, 'column', column_name, 'position', ordinal_position, 'schema', referenced_table_schema,
      'referencedCollection', t.referenced_table_name, 'referencedColumn', referenced_column_name,
      'onDelete', replace(lower(delete_rule), 'restrict', 'no action')`,
    ),
  }
}
