import { mariadbConnector, mysqlConnector } from '@habeas/adapter-mysql'
import { timescaleConnector } from '@habeas/adapter-postgres'
import { mysqlRows } from './mysql-rows.js'
import type { RowsServer } from './rows-server.js'
import { timescaleRows } from './timescale-rows.js'

export type RowsKind = 'mysql' | 'mariadb' | 'timescale'

/** The servers over which rows are measured, each where the environment has its address. */
export const rowsServers: Readonly<Record<RowsKind, RowsServer>> = {
  mysql: mysqlRows(mysqlConnector),
  mariadb: mysqlRows(mariadbConnector),
  timescale: timescaleRows(timescaleConnector),
}
