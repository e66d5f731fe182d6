import type { PlannedField } from './planned-field.js'

/** A key whose exact text is wanted: the columns that refer to it over a foreign key, or the key itself. */
interface SpelledKey {
  readonly columns: readonly string[]
  readonly as: { readonly collection: string; readonly columns: readonly string[] }
}

/** No column of a table has such a name. Plans are stored, and not every storage takes a NUL. */
const mark = '\u001fspelled '

/** The name of an additional column with the server's exact text of one part of a key. */
export function spelledColumn({ columns, as }: SpelledKey, part: number): string {
  return mark + JSON.stringify([columns, as.collection, as.columns, part])
}

/** Whether a name is that of such a column. */
export function isSpelled(name: string | undefined): boolean {
  return name?.startsWith(mark) === true
}

/** The key and the part that such a name stands for. Undefined for a column of the table. */
export function spelledPart(name: string | undefined): { readonly key: SpelledKey; readonly part: number } | undefined {
  if (name === undefined || !isSpelled(name)) return undefined
  const [columns, collection, own, part] = JSON.parse(name.slice(mark.length))
  return { key: { columns, as: { collection, columns: own } }, part }
}

/** The columns that the table has. Columns with exact texts come after them. */
export function ownColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((name) => !isSpelled(name))
}

/** The column of the table that holds a field, even if its exact text is compared. */
export function columnOf({ path: [column] }: Pick<PlannedField, 'path'>): string {
  const spelled = spelledPart(column)
  return (spelled ? spelled.key.columns[spelled.part] : column) as string
}
