import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parseDocument,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import { linesOf } from './lines-of.js'
import {
  endOf,
  hasLastComma,
  indentsLists,
  isEmpty,
  type List,
  openingOf,
  type Part,
  partsOf,
  placeOf,
  startOf,
} from './written-place.js'

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * The text of people with what has changed in a document that was read from it. Nothing else is written again: nodes are
 * known by the place at which they were read, and those without one are new. Undefined where changes meet each other, or
 * something moves.
 */
export function changedText(text: string, document: Document): string | undefined {
  const old = parseDocument(text, { keepSourceTokens: true }).contents
  const { contents } = document
  // a file of comments
  if (old === null)
    return [text.trimEnd(), ...membersOf(contents).flatMap((each) => shown('item', each, 0)), ''].join(
      linesOf(text).end,
    )
  if (!isSame(old, contents)) return undefined
  const edits = editsOf(text, old, contents as Node)
  return edits && applied(text, edits)
}

function applied(text: string, edits: readonly Edit[]): string | undefined {
  let [result, at] = ['', 0]
  for (const { from, to, text: added } of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (from < at) return undefined
    result += text.slice(at, from) + added
    at = to
  }
  return result + text.slice(at)
}

function editsOf(text: string, top: Node, changedTop: Node): Edit[] | undefined {
  const edits: Edit[] = []
  let moves = false
  const lines = linesOf(text)
  const indented = indentsLists(top)
  const edit = (from: number, to: number, added: string) => edits.push({ from, to, text: added })
  /** Adds lines of their own. */
  const insert = (at: number, added: readonly string[]) => {
    const all = added.map((line) => `${line}${lines.end}`).join('')
    // the last line of a file may have no end
    edit(at, at, at > 0 && text[at - 1] !== '\n' ? `${lines.end}${all.slice(0, -lines.end.length)}` : all)
  }

  function walk(was: unknown, is: unknown): void {
    if (!isCollection(was) || !isCollection(is)) return
    const items = partsOf(was)
    const now = new Map(partsOf(is).map((item) => [placeOf(item), item]))
    const kept = items.filter((item) => now.has(placeOf(item)))
    const added = partsOf(is).filter((item) => placeOf(item) === undefined)
    for (const item of items) {
      const changed = now.get(placeOf(item))
      if (!changed) remove(was, item, kept)
      else if (!isSame(partValue(item), partValue(changed))) replace(was, item, changed)
      else walk(partValue(item), partValue(changed))
    }
    const last = kept.at(-1)
    if (last && added.length > 0) append(was, last, added)
  }

  function remove(list: List, item: Part, kept: readonly Part[]): void {
    const [start, end] = [startOf(list, item), endOf(item)]
    if (lines.areOwn(start, end)) {
      edit(lines.start(start), lines.after(end), '')
      return
    }
    const items = partsOf(list)
    const at = items.indexOf(item)
    const [before, next] = [items[at - 1], items[at + 1]]
    if (list.flow && before && items.slice(0, at).some((each) => kept.includes(each))) edit(endOf(before), end, '')
    else if (next) edit(start, startOf(list, next), '')
  }

  function replace(list: List, item: Part, changed: Part): void {
    const [old, value] = [partValue(item), partValue(changed)]
    if (holdsRead(value)) moves = true
    const opening = openingOf(list, item)
    const start = isEmpty(old) ? opening : (placeOf(old) ?? opening)
    const end = Math.max(endOf(item), opening)
    const column = lines.column(startOf(list, item))
    const [head = '', ...rest] = list.flow
      ? shown('inside', withoutAnchor(value as Node), 0)
      : shown('value', changed, column, indented)
    const space = text.slice(opening, start)
    if (list.flow || !space.includes('\n')) {
      edit(opening, end, head === '' ? '' : `${space || ' '}${head}`)
      if (rest.length > 0) insert(lines.after(end), rest)
    } else {
      // comments behind the colon stay
      if (head !== '') edit(opening, opening, ` ${head}`)
      edit(lines.start(start), lines.after(end), rest.map((line) => `${line}${lines.end}`).join(''))
    }
  }

  function append(list: List, last: Part, added: readonly Part[]): void {
    const [start, end] = [startOf(list, last), endOf(last)]
    const column = lines.column(start)
    if (!list.flow) {
      const style = indentsLists(list) ?? indented
      const all = added.flatMap((item) => shown('item', item, column, style))
      insert(lines.behindComments(end, column), all)
      return
    }
    const all = added.map((item) => shown('inside', item, 0, indented).join(lines.end))
    if (!lines.areOwn(start, end)) {
      edit(end, end, all.map((item) => `, ${item}`).join(''))
      return
    }
    const isOpen = hasLastComma(list) || last !== partsOf(list).at(-1)
    if (!isOpen) edit(end, end, ',')
    const comma = (at: number) => (isOpen || at < all.length - 1 ? ',' : '')
    insert(
      lines.after(end),
      all.map((item, at) => `${' '.repeat(column)}${item}${comma(at)}`),
    )
  }

  walk(top, changedTop)
  return moves ? undefined : edits
}

const membersOf = (node: unknown): readonly Part[] => (isMap(node) ? partsOf(node) : [])

const partValue = (part: unknown): unknown => (isPair(part) ? part.value : part)

/** Whether a node is the one that was read, whatever has changed in it. */
function isSame(was: unknown, is: unknown): boolean {
  if (!isNode(was) || !isNode(is) || placeOf(was) !== placeOf(is)) return false
  if (isAlias(was) || isScalar(was)) return isAlias(was) === isAlias(is) && isScalar(was) === isScalar(is)
  if (isMap(was) !== isMap(is) || isSeq(was) !== isSeq(is)) return false
  const now = new Set((is as List).items.map(placeOf))
  const { items } = was as List
  // one that was empty, or has none of its items, is written again
  return items.some((item) => now.has(placeOf(item))) || (items.length === 0 && now.size === 0)
}

/** Whether something new is written around what was read. */
const holdsRead = (value: unknown): boolean =>
  isCollection(value) &&
  partsOf(value as List).some((part) => placeOf(part) !== undefined || holdsRead(partValue(part)))

/** A part as lines: a member or an item of a block, what stands in brackets, or a value without its key or dash. */
function shown(as: 'item' | 'inside' | 'value', part: Part, column: number, indentSeq = true): string[] {
  const around = isPair(part) ? new YAMLMap() : new YAMLSeq()
  const { items } = around as { items: unknown[] }
  items.push(as === 'value' ? withoutAnchor(part) : part)
  around.flow = as === 'inside'
  const document = new Document()
  document.contents = around
  // what an alias names stands in the other document
  const text = document.toString({ lineWidth: 0, indentSeq, verifyAliasOrder: false }).trimEnd()
  if (as === 'inside') return [text.slice(1, -1).trim()]
  const [first = '', ...rest] = text.split('\n')
  const below = rest.map((line) => (line === '' ? '' : ' '.repeat(column) + line))
  return as === 'item' ? [' '.repeat(column) + first, ...below] : [first.slice('k:'.length).trim(), ...below]
}

/** An anchor that people wrote stays where it is. */
function withoutAnchor(part: Part): Part {
  const value = partValue(part)
  const bare = isNode(value) ? (value.clone() as Node) : value
  if (isScalar(bare) || isCollection(bare)) delete bare.anchor
  return isPair(part) ? new Pair('k', bare) : (bare as Node)
}
