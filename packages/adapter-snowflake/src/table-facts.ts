import type { CatalogueCollection } from '@habeas/core'
import type { Ask } from '@habeas/sql'
import { quoted } from './client-settings.js'

/** Where the tables are. */
export interface Place {
  readonly database: string
  readonly schema: string
}

/** What a table is, beside its columns. */
export interface TableFacts {
  readonly kind: 'table' | 'view' | 'materialized view'
  readonly known: Pick<CatalogueCollection, 'large' | 'keepsHistoryDays' | 'view' | 'keysEnforced'>
}

/** So many days after time travel the service alone can still restore a table. No account can change that. */
const failSafeDays = 7

/** From so many rows on, some 10,000, a table is large. */
const largeFrom = 10_000

/** Types of tables that no statement can write. */
const readOnly = ['EXTERNAL TABLE', 'EVENT TABLE', 'VIEW', 'MATERIALIZED VIEW']

/** What tables are, how large, and how long time travel and the fail-safe after it keep what was in them. */
export async function tableFacts(ask: Ask, { database, schema }: Place): Promise<Map<string, TableFacts>> {
  const from = `${quoted(database)}.information_schema.tables`
  const rows = await ask(
    `select table_name, table_type, is_transient, retention_time, row_count, is_dynamic, is_iceberg, is_hybrid from ${from} where table_schema = ?`,
    [schema],
  )
  return new Map(
    rows.map(([name, type, ...facts]) => {
      const [transient, retention, count, dynamic, iceberg, hybrid] = facts
      const isTable = type === 'BASE TABLE'
      const hasFailSafe = [transient, iceberg, hybrid].every((each) => each !== 'YES')
      // temporary tables have no fail-safe either, and views keep nothing themselves
      const days = isTable ? Number(retention ?? 0) + (hasFailSafe ? failSafeDays : 0) : 0
      return [
        String(name),
        {
          kind: type === 'VIEW' ? 'view' : type === 'MATERIALIZED VIEW' ? 'materialized view' : 'table',
          known: {
            // a hybrid table alone keeps its keys unique
            keysEnforced: hybrid === 'YES',
            ...((readOnly.includes(String(type)) || dynamic === 'YES') && { view: { writable: false } }),
            ...(Number(count ?? 0) >= largeFrom && { large: true as const }),
            ...(days > 0 && { keepsHistoryDays: days }),
          },
        },
      ]
    }),
  )
}
