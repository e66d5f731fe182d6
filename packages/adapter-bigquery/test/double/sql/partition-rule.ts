import type { MemoryTable } from './evaluator.js'
import type { Expression, Select, StatementNode } from './parser.js'
import { refused } from './values.js'

/** As the service: a statement on a table that requires it must limit the partition, beside all its other conditions. */
export function checkPartitions(statement: StatementNode, tableOf: (path: string) => MemoryTable): void {
  if (statement.is === 'select') checkSelect(statement.select, tableOf)
  else {
    checkTable(statement.path, statement.where, tableOf)
    everySelect(statement, tableOf)
  }
}

function checkSelect(select: Select, tableOf: (path: string) => MemoryTable): void {
  for (const source of select.from) if (source.is === 'table') checkTable(source.path, select.where, tableOf)
  everySelect({ ...select }, tableOf)
}

/** Selections inside of other parts of a statement. */
function everySelect(node: unknown, tableOf: (path: string) => MemoryTable): void {
  if (typeof node !== 'object' || node === null) return
  for (const each of Object.values(node)) {
    if (isSelect(each)) checkSelect(each, tableOf)
    else everySelect(each, tableOf)
  }
}

function isSelect(node: unknown): node is Select {
  return typeof node === 'object' && node !== null && 'columns' in node && 'from' in node
}

function checkTable(path: string, where: Expression | undefined, tableOf: (path: string) => MemoryTable): void {
  const { partition } = tableOf(path)
  if (!partition?.required) return
  const parts = where ? conjunction(where) : []
  if (parts.some((part) => limits(part, partition.column))) return
  const message = `Cannot query over table '${path}' without a filter over column(s) '${partition.column}' that can be used for partition elimination`
  throw refused(message)
}

function conjunction(where: Expression): readonly Expression[] {
  return where.is === 'and' ? where.parts.flatMap(conjunction) : [where]
}

/** Whether a condition is over the column alone, and against constants. */
function limits(part: Expression, column: string): boolean {
  const isColumn = (side: Expression) => side.is === 'path' && side.names.length === 1 && side.names[0] === column
  switch (part.is) {
    case 'and':
      return part.parts.some((each) => limits(each, column))
    case 'or':
      return part.parts.every((each) => limits(each, column))
    case 'compare':
      return isColumn(part.left) && part.right.is === 'parameter'
    case 'null':
      return isColumn(part.value)
    default:
      return false
  }
}
