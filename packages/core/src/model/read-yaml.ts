import {
  type Alias,
  Composer,
  type CST,
  isAlias,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type Scalar,
  Schema,
} from 'yaml'
import { atOnce } from './at-once.js'
import { isWellFormedText } from './is-well-formed-text.js'

/** A place in a text, counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** Finds the place of a value by its path, or of the innermost value around it that there is. */
export type PlaceOf = (loc: readonly (string | number)[]) => TextPlace

/**
 * The value of a text, or why and where it cannot be read. The problem repeats no word of the text, which may hold
 * secrets.
 */
export type YamlReading =
  | { readonly value: unknown; readonly placeOf: PlaceOf }
  | ({ readonly problem: string } & TextPlace)

/** The deepest allowed nesting. At some thousand levels the parser runs out of stack, which can end the process. */
const deepest = 100
/**
 * The most words and marks in one text. An ordinary manifest of 16 MiB has fewer. A text with more takes minutes to
 * read.
 */
const mostLexemes = 5_000_000
/**
 * The most values that the aliases of one text may stand for. Each use counts, so that a short text cannot grow without
 * limit.
 */
const mostRepeated = 100_000
/** The words and marks that are read in one piece. */
const lexemesInPiece = 500

const reasons: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'an escape that does not exist',
  BAD_INDENT: 'the indentation does not fit',
  NON_STRING_KEY: 'a name that is not text',
  TAB_AS_INDENT: 'a tab as indentation',
  TAG_RESOLVE_FAILED: 'a tag that is not known',
}

/** Where reading stops, and why. */
class Refusal extends Error {
  readonly offset: number

  constructor(offset: number, reason = 'not well formed') {
    super(reason)
    this.offset = offset
  }
}

/**
 * Reads YAML 1.2 (core schema) or JSON strictly. It refuses duplicate names, tags and merge keys, and numbers that
 * would change when read (`010`, `0x1F`, more digits than a number holds).
 */
export function readYaml(text: string): YamlReading {
  return atOnce(readYamlByPieces(text))
}

/** The same, yielding after each piece of the text. */
export function* readYamlByPieces(text: string): Generator<void, YamlReading> {
  const lines = new LineCounter()
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const pieces: Pieces = { cut: new Map() }
  try {
    const contents = yield* compose(text, lines, pieces)
    const { value, offsetOf } = yield* readContents(contents, pieces)
    if (!pieces.fault) return { value, placeOf: (loc) => placeAt(offsetOf(loc)) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    noteFault(pieces, error)
  }
  const { message, offset } = pieces.fault as Refusal
  return { problem: message, ...placeAt(offset) }
}

/** The parts of a text that are still to be composed. */
interface Pieces {
  /** By what stands in its place. */
  readonly cut: Map<CST.Token, Collection>
  /** The first fault that was found. A piece before it may have an earlier one. */
  fault?: Refusal
}

function noteFault(pieces: Pieces, found: Refusal): void {
  if (!pieces.fault || found.offset < pieces.fault.offset) pieces.fault = found
}

const composing = {
  version: '1.2',
  schema: new Schema({ schema: 'core', resolveKnownTags: false }),
  keepSourceTokens: true,
  stringKeys: true,
  // The parser compares every name of an object with every other. With many names that takes hours.
  uniqueKeys: false,
} as const

function* compose(text: string, lines: LineCounter, pieces: Pieces): Generator<void, ParsedNode | null> {
  const composer = new Composer(composing)
  const documents: ComposedDocument[] = []
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  const take = (tokens: Iterable<CST.Token>) => {
    for (const token of tokens) {
      if (token.type === 'document' && isCollection(token.value)) cutLists(token.value, pieces)
      documents.push(...composer.next(token))
    }
  }
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    take(parser.next(lexeme))
    if (++lexemes > mostLexemes) throw new Refusal(parser.offset, 'there is more than can be read at once')
    if (parser.stack.length > deepest) throw new Refusal(parser.offset, 'nested too deep')
    if (documents.length > 1) break
    if (lexemes % lexemesInPiece === 0) yield
  }
  take(parser.end())
  documents.push(...composer.end(true, text.length))
  const [document, second] = documents
  if (second) throw new Refusal(second.range[0], 'a second document starts')
  return document ? contentsOf(document, pieces) : null
}

type ComposedDocument = ReturnType<Composer['end']> extends Generator<infer Document> ? Document : never

function contentsOf({ errors, warnings, contents }: ComposedDocument, pieces: Pieces): ParsedNode | null {
  for (const { pos, code } of [...errors, ...warnings]) noteFault(pieces, new Refusal(pos[0], reasons[code]))
  return contents
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection

const isCollection = (token: CST.Token | null | undefined): token is Collection =>
  token?.type === 'block-map' || token?.type === 'block-seq' || token?.type === 'flow-collection'

/**
 * Empties the lists and objects that are items of lists, which are composed later: composing a whole text cannot be
 * interrupted.
 */
function cutLists(token: Collection, pieces: Pieces): void {
  const isList = token.type === 'block-seq' || (token.type === 'flow-collection' && token.start.source === '[')
  for (const item of token.items) {
    if (!isCollection(item.value)) continue
    if (isList && !('sep' in item && item.sep)) {
      const emptied = { ...item.value, items: [] }
      pieces.cut.set(emptied, item.value)
      item.value = emptied
    } else cutLists(item.value, pieces)
  }
}

function composePiece(token: Collection, pieces: Pieces): ParsedNode {
  cutLists(token, pieces)
  const composer = new Composer(composing)
  const document: CST.Document = { type: 'document', offset: token.offset, start: [], value: token }
  const [whole] = [...composer.next(document), ...composer.end()] as [ComposedDocument]
  return contentsOf(whole, pieces) as ParsedNode
}

/** By name or position, where each member of a value starts. */
type Offsets = Record<string, number> | number[]

/**
 * Replaces the library's own conversion, which searches the document for every alias and limits neither their number
 * nor their total size.
 */
function* readContents(contents: ParsedNode | null, pieces: Pieces) {
  const anchors = new Map<string, { readonly value: unknown; readonly size: number }>()
  const starts = new WeakMap<object, Offsets>()
  let size = 0
  let repeated = 0

  function* read(node: ParsedNode | null): Generator<void, unknown> {
    if (node === null) return null
    if (isAlias(node)) return repeat(node as Alias.Parsed)
    const before = size++
    const value = isScalar(node) ? readScalar(node) : yield* readCollection(node)
    if (node.anchor) anchors.set(node.anchor, { value, size: size - before })
    return value
  }

  function* readCollection(node: ParsedNode): Generator<void, unknown> {
    const token = node.srcToken && pieces.cut.get(node.srcToken)
    if (!token) return yield* isSeq(node) ? readList(node.items as Nodes) : readObject(pairsOf(node))
    yield
    if (pieces.fault && pieces.fault.offset < node.range[0]) throw pieces.fault
    // What has been read is let go, as a large text has many pieces.
    pieces.cut.delete(node.srcToken as CST.Token)
    const whole = composePiece(token, pieces)
    return yield* isSeq(whole) ? readList(whole.items as Nodes) : readObject(pairsOf(whole))
  }

  function repeat({ source, range }: Alias.Parsed): unknown {
    const anchored = anchors.get(source)
    if (!anchored) throw new Refusal(range[0], 'an alias without an anchor before it')
    size += anchored.size
    repeated += anchored.size
    if (repeated > mostRepeated) throw new Refusal(range[0], 'aliases stand for too much')
    return anchored.value
  }

  function* readList(items: Nodes): Generator<void, unknown[]> {
    const list: unknown[] = []
    const offsets: number[] = []
    for (const item of items) {
      offsets.push(item?.range[0] ?? 0)
      list.push(yield* read(item))
    }
    starts.set(list, offsets)
    return list
  }

  function* readObject(pairs: Pairs): Generator<void, Record<string, unknown>> {
    const object: Record<string, unknown> = {}
    const offsets: Record<string, number> = {}
    for (const { key, value } of pairs) {
      const name = key.value as string
      const refuse = (reason: string) => new Refusal(key.range[0], reason)
      if (Object.hasOwn(object, name)) throw refuse('a name that is used twice')
      if (name === '__proto__') throw refuse('a name that is not allowed')
      if (name === '<<' && key.type === 'PLAIN') throw refuse('a merge key, which YAML 1.2 does not have')
      yield* read(key)
      offsets[name] = key.range[0]
      object[name] = yield* read(value)
    }
    starts.set(object, offsets)
    return object
  }

  const value = yield* read(contents)
  return {
    value,
    offsetOf(loc: readonly (string | number)[]): number {
      let offset = contents?.range[0] ?? 0
      let within = value
      for (const step of loc) {
        const offsets = typeof within === 'object' && within !== null ? starts.get(within) : undefined
        if (!offsets || !Object.hasOwn(offsets, step)) break
        offset = (offsets as Record<string | number, number>)[step] as number
        within = (within as Record<string | number, unknown>)[step]
      }
      return offset
    },
  }
}

type Nodes = readonly (ParsedNode | null)[]
type Pairs = readonly { readonly key: Scalar.Parsed; readonly value: ParsedNode | null }[]
const pairsOf = (node: ParsedNode) => (node as unknown as { items: Pairs }).items

function readScalar({ value, source, range }: Scalar.Parsed): unknown {
  if (typeof value === 'string' && !isWellFormedText(value)) {
    throw new Refusal(range[0], 'text with a null character or half of a surrogate pair')
  }
  if (typeof value !== 'number') return value
  const isPlain = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(source)
  if (isPlain && Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value
  throw new Refusal(range[0], 'a number that would change when read: put it in quotes if it is text')
}
