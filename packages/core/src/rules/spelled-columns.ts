/** A key that columns point to over a foreign key, or that they are themselves. */
interface SpelledKey {
  readonly columns: readonly string[]
  readonly as: { readonly collection: string; readonly columns: readonly string[] }
}

/** No column of a table has such a name. Plans are stored, and not every store takes a NUL. */
const mark = '\u001fspelled '

/** Names of columns that a run reads as if a table had them: the parts of a key as its server spells it. */
export function spelledColumns({ columns, as }: SpelledKey): string[] {
  return columns.map((_, part) => {
    // a dot would be taken for a path
    return mark + JSON.stringify([columns, as.collection, as.columns, part]).replaceAll('.', '\\u002e')
  })
}

/** The key and the part that such a name stands for; undefined for a column of the table. */
export function spelledPart(name: string | undefined): { readonly key: SpelledKey; readonly part: number } | undefined {
  if (!name?.startsWith(mark)) return undefined
  const [columns, collection, own, part] = JSON.parse(name.slice(mark.length))
  return { key: { columns, as: { collection, columns: own } }, part }
}

/** The columns that the table has. Spelled ones stand behind them. */
export function ownColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((name) => !name.startsWith(mark))
}
