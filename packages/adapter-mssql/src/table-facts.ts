import type { CatalogueCollection } from '@habeas/core'
import type { ColumnRow, Rights, TableRow } from './catalogue-rows.js'

/** From so many rows on, by the server's own count, a table is large. */
const largeFrom = 10_000

/** How many days a unit of a retention has at most, by the server's number of the unit. */
const daysOfUnit: Readonly<Record<number, number>> = { 3: 1, 4: 7, 5: 31, 6: 366 }

/** Returns what a table is, beside its columns and keys. */
export function tableFacts(
  table: TableRow,
  columns: readonly ColumnRow[],
  rights: Rights,
  schema: string,
): Partial<CatalogueCollection> {
  const { name, history, retention, unit, captured, isView, rows, cascading } = table
  const days = history !== null && retention > 0 ? retention * (daysOfUnit[unit] ?? 366) : undefined
  const keptIn = [
    ...(history !== null && days === undefined ? [{ name: shortName(history, schema), kind: 'history' as const }] : []),
    ...(captured ? [{ name: `cdc.${schema}_${name}_CT`, kind: 'stream' as const }] : []),
  ]
  const hides = table.secured || (!rights.seesValues && columns.some(({ masked }) => masked))
  const unwritable = whyUnwritable(table)
  return {
    ...(!isView && { referencedBy: cascading }),
    ...(rows >= largeFrom && { large: true as const }),
    ...(keptIn.length > 0 && { keptIn }),
    ...(days !== undefined && { keepsHistoryDays: days }),
    ...(table.historyOf !== null && { copyOf: shortName(table.historyOf, schema) }),
    ...(unwritable !== undefined && { unwritable }),
    ...((hides || !rights.seesDefinitions) && { hidesRows: true as const }),
    ...(!hides && !rights.seesDefinitions && { policiesUnknown: true as const }),
  }
}

function whyUnwritable({ historyOf, inMemory, external }: TableRow): string | undefined {
  if (historyOf !== null)
    return `It is the history of ${historyOf}, which the server alone writes: switch SYSTEM_VERSIONING off, delete its rows, and switch it on again.`
  if (inMemory) return 'It is memory-optimized, and takes no locks: move the table to disk.'
  return external ? 'Its rows lie on another server: erase them there.' : undefined
}

function shortName(name: string, schema: string): string {
  return name.startsWith(`${schema}.`) ? name.slice(schema.length + 1) : name
}
