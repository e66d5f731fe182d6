import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import { type PathTree, pathTree, project } from '../../rules/policy/path-tree.js'

/** The JSON text of the delivered part of a row, or undefined when nothing is left. */
export type RowWriter = (row: Row) => string | undefined

/** Writes rows of `columns`. It is prepared once, because it runs for every row. `undecided`: members that are left out. */
export function rowWriter(
  columns: readonly string[],
  paths: readonly (readonly string[])[],
  undecided: readonly (readonly string[])[] = [],
): RowWriter {
  const tree = pathTree(paths, undecided)
  const parts = columns.flatMap((column, at) => {
    const below = tree.members.get(column)
    return below ? [{ at, below, prefix: `${JSON.stringify(column)}:` }] : []
  })
  return (row) => {
    let text = ''
    for (const { at, below, prefix } of parts) {
      const value = row[at]
      if (value === undefined) continue
      const json = (below.leavesPlain ? undefined : simple(value)) ?? nested(value, below)
      if (json !== undefined) text += text === '' ? prefix + json : `,${prefix}${json}`
    }
    return text === '' ? undefined : `{${text}}`
  }
}

/** The text of most values. Undefined for values with members or elements. */
function simple(value: Value): string | undefined {
  if (value === null) return 'null'
  return typeof value === 'object' ? undefined : scalar(value)
}

/** Any character that JSON has to escape. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

function scalar(value: boolean | number | bigint | string): string {
  if (typeof value === 'string') return escaped.test(value) ? JSON.stringify(value) : `"${value}"`
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `"${value}"`
  return typeof value === 'bigint' ? `"${value}"` : String(value)
}

function nested(value: Value, tree: PathTree): string | undefined {
  const kept = project(value, tree)
  return kept === undefined ? undefined : jsonText(kept)
}

/** The JSON of any value. Whole numbers beyond 2^53 become text, so that no reader rounds them. */
function jsonText(value: Value): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
}
