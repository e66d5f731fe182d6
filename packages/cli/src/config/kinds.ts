/** What a new configuration says of a kind of database. */
export interface KindTemplate {
  readonly label: string
  readonly adapter: string
  readonly connector: string
  /** The secrets that are no part of a URL, and the ends of the environment variables that hold them. Absent: one URL. */
  readonly secrets?: Readonly<Record<string, string>>
  /** A URL of this kind, as an example. */
  readonly url?: string
}

/** The kinds that have an adapter. */
export const kinds = {
  postgres: {
    label: 'PostgreSQL',
    adapter: '@habeas/adapter-postgres',
    connector: 'postgresConnector',
    url: 'postgres://user:password@localhost:5432/database',
  },
  mysql: {
    label: 'MySQL',
    adapter: '@habeas/adapter-mysql',
    connector: 'mysqlConnector',
    url: 'mysql://user:password@localhost:3306/database',
  },
  mariadb: {
    label: 'MariaDB',
    adapter: '@habeas/adapter-mysql',
    connector: 'mariadbConnector',
    url: 'mysql://user:password@localhost:3306/database',
  },
  mssql: {
    label: 'SQL Server',
    adapter: '@habeas/adapter-mssql',
    connector: 'mssqlConnector',
    url: 'mssql://user:password@localhost:1433/database',
  },
  mongodb: {
    label: 'MongoDB',
    adapter: '@habeas/adapter-mongodb',
    connector: 'mongodbConnector',
    url: 'mongodb://user:password@localhost:27017/database',
  },
  timescale: {
    label: 'TimescaleDB',
    adapter: '@habeas/adapter-postgres',
    connector: 'timescaleConnector',
    url: 'postgres://user:password@localhost:5432/database',
  },
  redshift: {
    label: 'Redshift',
    adapter: '@habeas/adapter-postgres',
    connector: 'redshiftConnector',
    url: 'postgres://user:password@cluster.example.com:5439/database',
  },
  bigquery: {
    label: 'BigQuery',
    adapter: '@habeas/adapter-bigquery',
    connector: 'bigqueryConnector',
    secrets: { dataset: 'DATASET', keyfile_creds: 'KEYFILE' },
  },
  snowflake: {
    label: 'Snowflake',
    adapter: '@habeas/adapter-snowflake',
    connector: 'snowflakeConnector',
    secrets: {
      account_identifier: 'ACCOUNT',
      user_login_name: 'USER',
      private_key: 'PRIVATE_KEY',
      warehouse_name: 'WAREHOUSE',
      database_name: 'DATABASE',
      schema_name: 'SCHEMA',
    },
  },
} as const satisfies Readonly<Record<string, KindTemplate>>

export type Kind = keyof typeof kinds
