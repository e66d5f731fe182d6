import type { Fixture } from '@habeas/testkit'
import { emulatorAddress } from '../../../adapter-bigquery/test/emulator-address.js'
import { sharedDouble } from '../../../adapter-mssql/test/double-database.js'
import { redshiftServer } from '../../../adapter-postgres/test/redshift/redshift-database.js'
import { sharedServer } from '../../../adapter-postgres/test/shared-server.js'
import type { CrossedDatabase } from './crossed-database.js'
import { openBigquery, openMongodb, openSnowflake } from './emulated-databases.js'
import { documentsOf, fixtureOf } from './fixtures.js'
import { openMariadb, openMssql, openMysql, openPostgres, openRedshift, openTimescale } from './sql-databases.js'

/** A database that a test opens, if its server is there. */
export interface CrossedKind {
  /** The key of its dataset and its connection. */
  readonly key: string
  readonly name: string
  /** What names the server, of a kind that needs one. */
  readonly variable?: string
  /** Undefined where the variable names none. */
  open?(people: number): Promise<CrossedDatabase>
}

/** The nine kinds, for the file that calls this. Three of them need nothing that is not there. */
export function crossedKinds(): readonly CrossedKind[] {
  const { MARIADB_URL, MONGODB_URL, MYSQL_URL, SNOWFLAKE_URL, TIMESCALE_URL } = process.env
  const [postgres, redshift, mssql] = [sharedServer(), redshiftServer(), sharedDouble()]
  const real = (
    key: string,
    variable: string,
    url: string | undefined,
    open: (url: string, fixture: Fixture) => Promise<CrossedDatabase>,
  ) => ({ key, variable, ...(url && { open: (people: number) => open(url, fixtureOf(key, people)) }) })
  return [
    { name: 'PostgreSQL', key: 'shop', open: (people) => openPostgres(postgres.url, fixtureOf('shop', people)) },
    { name: 'TimescaleDB', ...real('metrics', 'TIMESCALE_URL', TIMESCALE_URL, openTimescale) },
    { name: 'MySQL', ...real('warehouse', 'MYSQL_URL', MYSQL_URL, openMysql) },
    { name: 'MariaDB', ...real('forum', 'MARIADB_URL', MARIADB_URL, openMariadb) },
    { name: 'SQL Server', key: 'crm', open: (people) => openMssql(mssql, fixtureOf('crm', people)) },
    { name: 'Redshift', key: 'lake', open: (people) => openRedshift(redshift, fixtureOf('lake', people)) },
    {
      ...{ name: 'MongoDB', key: 'app', variable: 'MONGODB_URL' },
      ...(MONGODB_URL && { open: (people: number) => openMongodb(MONGODB_URL, documentsOf('app', people)) }),
    },
    { name: 'BigQuery', ...real('events', 'BIGQUERY_EMULATOR_HOST', emulatorAddress, openBigquery) },
    { name: 'Snowflake', ...real('billing', 'SNOWFLAKE_URL', SNOWFLAKE_URL, openSnowflake) },
  ]
}
