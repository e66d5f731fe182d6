import {
  type Alias,
  Composer,
  isAlias,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type Scalar,
} from 'yaml'
import { wellFormedTextSchema } from './is-well-formed-text.js'

/**
 * The value of a text, or why and where it cannot be read. The problem repeats no word of the text, which may hold
 * secrets.
 */
export type YamlReading = { readonly value: unknown } | { readonly problem: string }

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
  const lines = new LineCounter()
  try {
    return { value: readContents(compose(text, lines)) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { line, col } = lines.linePos(error.offset)
    return { problem: `cannot be read as YAML or JSON at line ${line}, column ${col}: ${error.message}` }
  }
}

function compose(text: string, lines: LineCounter): ParsedNode | null {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    // The parser compares every name of an object with every other. With many names that takes hours.
    uniqueKeys: false,
  })
  const [document, second] = composer.compose(tokens(text, lines), true, text.length)
  if (second) throw new Refusal(second.range[0], 'a second document starts')
  const [broken] = document ? [...document.errors, ...document.warnings] : []
  if (broken) throw new Refusal(broken.pos[0], reasons[broken.code])
  return document?.contents ?? null
}

function* tokens(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (++lexemes > mostLexemes) throw new Refusal(parser.offset, 'there is more than can be read at once')
    if (parser.stack.length > deepest) throw new Refusal(parser.offset, 'nested too deep')
  }
  yield* parser.end()
}

/**
 * Replaces the library's own conversion, which searches the document for every alias and limits neither their number
 * nor their total size.
 */
function readContents(contents: ParsedNode | null): unknown {
  const anchors = new Map<string, { readonly value: unknown; readonly size: number }>()
  let size = 0
  let repeated = 0

  function read(node: ParsedNode | null): unknown {
    if (node === null) return null
    if (isAlias(node)) return repeat(node as Alias.Parsed)
    const before = size++
    const value = isScalar(node)
      ? readScalar(node)
      : isSeq(node)
        ? node.items.map((item) => read(item as ParsedNode))
        : readObject(node.items as { key: Scalar.Parsed; value: ParsedNode | null }[])
    if (node.anchor) anchors.set(node.anchor, { value, size: size - before })
    return value
  }

  function repeat({ source, range }: Alias.Parsed): unknown {
    const anchored = anchors.get(source)
    if (!anchored) throw new Refusal(range[0], 'an alias without an anchor before it')
    size += anchored.size
    repeated += anchored.size
    if (repeated > mostRepeated) throw new Refusal(range[0], 'aliases stand for too much')
    return anchored.value
  }

  function readObject(pairs: readonly { key: Scalar.Parsed; value: ParsedNode | null }[]) {
    const object: Record<string, unknown> = {}
    for (const { key, value } of pairs) {
      const name = key.value as string
      const refuse = (reason: string) => new Refusal(key.range[0], reason)
      if (Object.hasOwn(object, name)) throw refuse('a name that is used twice')
      if (name === '__proto__') throw refuse('a name that is not allowed')
      if (name === '<<' && key.type === 'PLAIN') throw refuse('a merge key, which YAML 1.2 does not have')
      read(key)
      object[name] = read(value)
    }
    return object
  }

  return read(contents)
}

function readScalar({ value, source, range }: Scalar.Parsed): unknown {
  if (typeof value === 'string' && !wellFormedTextSchema.safeParse(value).success) {
    throw new Refusal(range[0], 'text with a null character or half of a surrogate pair')
  }
  if (typeof value !== 'number') return value
  const isPlain = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(source)
  if (isPlain && Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value
  throw new Refusal(range[0], 'a number that would change when read: put it in quotes if it is text')
}
