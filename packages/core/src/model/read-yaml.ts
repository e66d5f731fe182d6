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
} from 'yaml'
import { atOnce } from './at-once.js'
import { isWellFormedText } from './is-well-formed-text.js'
import {
  type ComposedDocument,
  composePiece,
  composing,
  contentsOf,
  cutDocument,
  isCollection,
  noteFault,
  type Pieces,
  partsOf,
  Refusal,
} from './yaml-pieces.js'

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
/** The most members of one list or object. The parser goes over all of them when it ends. */
const mostMembers = 100_000
/**
 * The most values that the aliases of one text may stand for. Each use counts, so that a short text cannot grow without
 * limit.
 */
const mostRepeated = 100_000
/** The words and marks that are read in one piece. */
const lexemesInPiece = 500

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

function* compose(text: string, lines: LineCounter, pieces: Pieces): Generator<void, ParsedNode | null> {
  const composer = new Composer(composing)
  const documents: ComposedDocument[] = []
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  const take = (tokens: Iterable<CST.Token>) => {
    for (const token of tokens) {
      if (token.type === 'document') cutDocument(token, pieces)
      documents.push(...composer.next(token))
    }
  }
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    take(parser.next(lexeme))
    if (++lexemes > mostLexemes) throw new Refusal(parser.offset, 'there is more than can be read at once')
    if (parser.stack.length > deepest) throw new Refusal(parser.offset, 'nested too deep')
    if (documents.length > 1) break
    if (lexemes % lexemesInPiece !== 0) continue
    if (parser.stack.some((token) => isCollection(token) && token.items.length > mostMembers))
      throw new Refusal(parser.offset, `a list or object has more than ${mostMembers} members`)
    yield
  }
  take(parser.end())
  documents.push(...composer.end(true, text.length))
  const [document, second] = documents
  if (second) throw new Refusal(second.range[0], 'a second document starts')
  return document ? contentsOf(document, pieces) : null
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
    const collection = isSeq(node) ? newList() : newObject()
    if (!token) {
      yield* collection.read(node)
      return collection.value
    }
    // What has been read is let go, as a large text has many pieces.
    pieces.cut.delete(node.srcToken as CST.Token)
    for (const part of partsOf(token, pieces)) {
      yield
      if (pieces.fault && pieces.fault.offset < part.offset) throw pieces.fault
      yield* collection.read(composePiece(part, pieces))
    }
    return collection.value
  }

  function repeat({ source, range }: Alias.Parsed): unknown {
    const anchored = anchors.get(source)
    if (!anchored) throw new Refusal(range[0], 'an alias without an anchor before it')
    size += anchored.size
    repeated += anchored.size
    if (repeated > mostRepeated) throw new Refusal(range[0], 'aliases stand for too much')
    return anchored.value
  }

  /** A list that is read from one node or from several, one after the other. */
  function newList() {
    const value: unknown[] = []
    const offsets: number[] = []
    starts.set(value, offsets)
    return {
      value,
      *read(node: ParsedNode): Generator<void, void> {
        for (const item of (node as unknown as { items: Nodes }).items) {
          offsets.push(item?.range[0] ?? 0)
          value.push(yield* read(item))
        }
      },
    }
  }

  function newObject() {
    const value: Record<string, unknown> = {}
    const offsets: Record<string, number> = {}
    starts.set(value, offsets)
    return {
      value,
      *read(node: ParsedNode): Generator<void, void> {
        for (const { key, value: member } of (node as unknown as { items: Pairs }).items) {
          const name = key.value as string
          const refuse = (reason: string) => new Refusal(key.range[0], reason)
          if (Object.hasOwn(value, name)) throw refuse('a name that is used twice')
          if (name === '__proto__') throw refuse('a name that is not allowed')
          if (name === '<<' && key.type === 'PLAIN') throw refuse('a merge key, which YAML 1.2 does not have')
          yield* read(key)
          offsets[name] = key.range[0]
          value[name] = yield* read(member)
        }
      },
    }
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

function readScalar({ value, source, range }: Scalar.Parsed): unknown {
  if (typeof value === 'string' && !isWellFormedText(value)) {
    throw new Refusal(range[0], 'text with a null character or half of a surrogate pair')
  }
  if (typeof value !== 'number') return value
  const isPlain = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(source)
  if (isPlain && Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value
  throw new Refusal(range[0], 'a number that would change when read: put it in quotes if it is text')
}
