import { Composer, type CST, type ErrorCode, type ParsedNode, Schema } from 'yaml'

/** Where reading stops, and why. */
export class Refusal extends Error {
  readonly offset: number

  constructor(offset: number, reason: string) {
    super(reason)
    this.offset = offset
  }
}

/** In our own words: those of the parser repeat the text. */
const reasons: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias has an anchor or a tag',
  BAD_ALIAS: 'an alias whose name cannot be read',
  BAD_COLLECTION_TYPE: 'a tag that does not fit the value',
  BAD_DIRECTIVE: 'a directive that is not known: put a text that begins with % in quotes',
  BAD_DQ_ESCAPE: 'an escape that does not exist',
  BAD_INDENT: 'the indentation does not fit',
  BAD_PROP_ORDER: 'an anchor or a tag in the wrong place',
  BAD_SCALAR_START: 'a text that begins with a reserved character, such as @: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: "a second ':' in a value: the line is indented too far, or the value is text and needs quotes",
  BLOCK_IN_FLOW: "a list or object of lines ('- ' or 'name:') within brackets",
  DUPLICATE_KEY: 'a name that is used twice',
  IMPOSSIBLE: 'something that cannot stand here',
  KEY_OVER_1024_CHARS: 'a name of more than 1,024 characters',
  MISSING_CHAR: "a closing quote or bracket, or a ',' or ':', is missing",
  MULTILINE_IMPLICIT_KEY:
    "a name of several lines: the indentation does not fit, a ':' is too many, or a quote is missing",
  MULTIPLE_ANCHORS: 'a second anchor of the same value',
  MULTIPLE_DOCS: 'a second document starts',
  MULTIPLE_TAGS: 'a second tag of the same value',
  NON_STRING_KEY: 'a name that is not text',
  RESOURCE_EXHAUSTION: 'there is more than can be read at once',
  TAB_AS_INDENT: 'a tab as indentation',
  TAG_RESOLVE_FAILED: 'a tag that is not known',
  UNEXPECTED_TOKEN:
    'something that cannot stand here: the indentation does not fit, or a quote or bracket is missing before it',
}

/** The most items of a list or object that are composed at once. */
const itemsInPart = 500

/** The parts of a text that are still to be composed. */
export interface Pieces {
  /** By what stands in its place. */
  readonly cut: Map<CST.Token, Collection>
  /** The first fault that was found. A piece before it may have an earlier one. */
  fault?: Refusal
}

export function noteFault(pieces: Pieces, found: Refusal): void {
  if (!pieces.fault || found.offset < pieces.fault.offset) pieces.fault = found
}

export const composing = {
  version: '1.2',
  schema: new Schema({ schema: 'core', resolveKnownTags: false }),
  keepSourceTokens: true,
  stringKeys: true,
  // The parser compares every name of an object with every other. With many names that takes hours.
  uniqueKeys: false,
} as const

export type ComposedDocument = ReturnType<Composer['end']> extends Generator<infer Document> ? Document : never

export function contentsOf({ errors, warnings, contents }: ComposedDocument, pieces: Pieces): ParsedNode | null {
  for (const { pos, code } of [...errors, ...warnings]) noteFault(pieces, new Refusal(pos[0], reasons[code]))
  return contents
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection
type Item = Collection['items'][number]

export const isCollection = (token: CST.Token | null | undefined): token is Collection =>
  token?.type === 'block-map' || token?.type === 'block-seq' || token?.type === 'flow-collection'

/** Cuts the lists and objects out of a document that are composed later: composing a whole text cannot be interrupted. */
export function cutDocument(document: CST.Document, pieces: Pieces): void {
  refuseRepeated(document.start)
  const { value } = document
  if (!isCollection(value)) return
  if (value.items.length > itemsInPart) document.value = cut(value, pieces)
  else cutItems(value, pieces)
}

/** What stands in the place of a list or object until it is composed: an empty one that ends where the other does. */
function cut(token: Collection, pieces: Pieces, end = token.offset): Collection {
  // A name may not be far from its colon, and where it begins is told from the end of what stands before it.
  const last: CST.SourceToken = { type: 'newline', offset: end - 1, indent: token.indent, source: '\n' }
  const items = token.type === 'flow-collection' || end <= token.offset ? [] : [{ start: [last] }]
  const emptied = { ...token, items } as Collection
  pieces.cut.set(emptied, token)
  return emptied
}

/** Cuts out items of lists, and whatever is large. `end`: where what follows the token begins. */
function cutItems(token: Collection, pieces: Pieces, end?: number): void {
  const isList = token.type === 'block-seq' || isFlowList(token)
  const after = token.type === 'flow-collection' ? token.end[0]?.offset : end
  for (const [at, item] of token.items.entries()) {
    const next = token.items[at + 1]
    const itemEnd = next ? (offsetOf(next) ?? after) : after
    refuseRepeated(item.start)
    refuseRepeated(item.sep)
    // It is no text, and refused as such whatever it holds.
    if (isCollection(item.key)) item.key = { ...item.key, items: [] }
    if (!isCollection(item.value)) continue
    if ((isList && !item.sep) || item.value.items.length > itemsInPart) item.value = cut(item.value, pieces, itemEnd)
    else cutItems(item.value, pieces, itemEnd)
  }
}

const isFlowList = (token: Collection) => token.type === 'flow-collection' && token.start.source === '['

/** A node has one anchor and one tag. The library makes an error of each further one, which takes long for many. */
function refuseRepeated(tokens: readonly CST.SourceToken[] = []): void {
  const seen = new Set<string>()
  for (const { type, offset } of tokens) {
    if (type !== 'anchor' && type !== 'tag') continue
    if (seen.has(type)) throw new Refusal(offset, reasons[type === 'tag' ? 'MULTIPLE_TAGS' : 'MULTIPLE_ANCHORS'])
    seen.add(type)
  }
}

/** A list or object in parts of few items, each as if it were the whole. */
export function* partsOf(token: Collection, pieces: Pieces): Generator<Collection> {
  const { items } = token
  if (items.length <= itemsInPart) return yield token
  for (let start = 0; start < items.length; start += itemsInPart) {
    const part = items.slice(start, start + itemsInPart)
    const [first, last] = [part[0], part.at(-1)] as [Item, Item]
    const offset = start === 0 ? token.offset : (offsetOf(first) ?? token.offset)
    if (token.type === 'flow-collection') {
      // What the library finds out about neighbours is found out here where they are in two parts.
      if (start > 0) part[0] = withoutComma(first) ?? refuse(pieces, offset, first, 'MISSING_CHAR')
      if (start + itemsInPart < items.length && isEmpty(last))
        refuse(pieces, offsetOf(last) ?? offset, last, 'UNEXPECTED_TOKEN')
    }
    yield { ...token, offset, items: part } as Collection
  }
}

function offsetOf({ start, key, sep, value }: Item): number | undefined {
  return (start[0] ?? key ?? sep?.[0] ?? value)?.offset
}

function refuse(pieces: Pieces, offset: number, item: Item, code: ErrorCode): Item {
  noteFault(pieces, new Refusal(offset, reasons[code]))
  return item
}

/** Undefined where no comma stands between it and the item before. */
function withoutComma(item: Item): Item | undefined {
  const at = item.start.findIndex(({ type }) => type === 'comma')
  return at < 0 ? undefined : { ...item, start: item.start.toSpliced(at, 1) }
}

const isEmpty = ({ start, key, sep, value }: Item) =>
  !key && !sep && !value && start.every(({ type }) => type !== 'anchor' && type !== 'tag')

export function composePiece(token: Collection, pieces: Pieces): ParsedNode {
  cutItems(token, pieces)
  const composer = new Composer(composing)
  const document: CST.Document = { type: 'document', offset: token.offset, start: [], value: token }
  const [whole] = [...composer.next(document), ...composer.end()] as [ComposedDocument]
  return contentsOf(whole, pieces) as ParsedNode
}
