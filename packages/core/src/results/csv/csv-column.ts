import type { CsvValue } from './csv-line.js'

/** A column of a table made of nested values. */
export interface CsvColumn {
  /** The path, joined by dots. */
  readonly heading: string
  readonly path: readonly string[]
  /** An object in it is written as JSON; in any other column its members have columns of their own. */
  readonly whole: boolean
}

type Members = Readonly<Record<string, unknown>>

interface Node {
  readonly members: Map<string, Node>
  /** A value other than null and objects was found here. */
  value: boolean
  whole: boolean
}

/** A field whose members would take more columns stays one cell: the keys of a map are values, not headings. */
const maxColumnsOfField = 256
/** Objects deeper than this stay one cell. */
const maxDepth = 16

/** Collects the columns of rows, row by row. It holds names, never a value. */
export function columnCollector() {
  const root = newNode()
  return {
    add(row: Members): void {
      for (const [name, value] of Object.entries(row)) {
        const field = memberOf(root, name)
        if (!field.whole && grow(field, value, 1, { left: maxColumnsOfField - countOf(field) })) continue
        field.whole = true
        field.members.clear()
      }
    },
    columns: (): CsvColumn[] => [...columnsBelow(root, [])],
  }
}

/** The cells of a row, one for each column; a list is its JSON text. */
export function cellsOf(row: Members, columns: readonly CsvColumn[]): CsvValue[] {
  return columns.map((column) => cell(valueAt(row, column.path), column.whole))
}

function newNode(): Node {
  return { members: new Map(), value: false, whole: false }
}

function memberOf(node: Node, name: string): Node {
  let member = node.members.get(name)
  if (!member) {
    member = newNode()
    node.members.set(name, member)
  }
  return member
}

function countOf(node: Node): number {
  let count = node.members.size
  for (const member of node.members.values()) count += countOf(member)
  return count
}

/** False once there are too many members. */
function grow(node: Node, value: unknown, depth: number, room: { left: number }): boolean {
  if (!hasMembers(value)) {
    node.value ||= value !== null
    return true
  }
  if (depth > maxDepth) {
    node.whole = true
    return true
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!node.members.has(name) && room.left-- === 0) return false
    if (!grow(memberOf(node, name), inner, depth + 1, room)) return false
  }
  return true
}

function* columnsBelow(node: Node, path: readonly string[]): Generator<CsvColumn> {
  for (const [name, member] of node.members) {
    const at = [...path, name]
    const alone = member.members.size === 0
    if (alone || member.value || member.whole) yield { heading: at.join('.'), path: at, whole: member.whole }
    yield* columnsBelow(member, at)
  }
}

function valueAt(row: Members, path: readonly string[]): unknown {
  let value: unknown = row
  for (const name of path) {
    if (!isMembers(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function cell(value: unknown, whole: boolean): CsvValue {
  if (typeof value !== 'object' || value === null) return value as CsvValue
  return whole || !hasMembers(value) ? JSON.stringify(value) : undefined
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasMembers(value: unknown): value is Members {
  return isMembers(value) && Object.keys(value).length > 0
}
