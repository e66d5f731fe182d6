import type { SqlConnectorOptions } from '@habeas/sql'

export interface MysqlConnectorOptions extends SqlConnectorOptions {
  /** Shown as `program_name` among the attributes of a connection. `habeas` by default. */
  readonly applicationName?: string
}
