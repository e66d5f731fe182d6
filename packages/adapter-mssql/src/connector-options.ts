import type { SqlConnectorOptions } from '@habeas/sql'

export interface MssqlConnectorOptions extends SqlConnectorOptions {
  /** Has no effect: the server has no such limit. The end of the connection ends the transaction. */
  readonly abandonedTransactionSeconds?: number
  /** Shown as `program_name` among the sessions of the server. `habeas` by default. */
  readonly applicationName?: string
}
