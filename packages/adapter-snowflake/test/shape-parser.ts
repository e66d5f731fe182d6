/** A row by the names of its columns. */
export type StoredRow = Readonly<Record<string, string | null>>

/** What a condition or value is for a row. */
export type Evaluated = (row: StoredRow) => unknown

/** A failure in the words of the service. */
export class RefusedStatement extends Error {
  readonly code: string
  readonly sqlState: string

  constructor(code: string, sqlState: string, message: string) {
    super(message)
    this.code = code
    this.sqlState = sqlState
  }
}

const tokens = /\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|=>|::|\w+|[?(),.=*[\]])/y

/** The tokens of a statement. Whatever no statement of the connector holds is refused. */
function tokensOf(sql: string): string[] {
  const found: string[] = []
  tokens.lastIndex = 0
  while (tokens.lastIndex < sql.trimEnd().length) {
    const at = tokens.lastIndex
    const match = tokens.exec(sql)
    if (!match) throw syntaxError(at)
    found.push(match[1]!)
  }
  return found
}

export function syntaxError(at: number): RefusedStatement {
  return new RefusedStatement('001003', '42000', `SQL compilation error: syntax error at position ${at}.`)
}

/** Reads the parts of a statement one by one, in the few forms that the connector writes. */
export interface ShapeParser {
  peek(): string | undefined
  next(): string
  expect(...words: readonly string[]): void
  accept(word: string): boolean
  /** A quoted name, or several with dots between them. */
  names(): string[]
  /** The text of the next parameter. */
  parameter(): string | null
  condition(): Evaluated
  value(): Evaluated
}

/** `columns` are those of the table that names stand for: a name without quotes would be folded to upper case. */
export function shapeParser(
  sql: string,
  parameters: readonly (string | null)[],
  columns: ReadonlySet<string>,
): ShapeParser {
  const all = tokensOf(sql)
  let at = 0
  let bound = 0
  const peek = () => all[at]
  const next = () => {
    const token = all[at++]
    if (token === undefined) throw syntaxError(sql.length)
    return token
  }
  const accept = (word: string) => {
    if (all[at]?.toLowerCase() !== word) return false
    at++
    return true
  }
  const expect = (...words: readonly string[]) => {
    for (const word of words) if (!accept(word)) throw syntaxError(at)
  }
  const name = () => {
    const token = next()
    if (token.startsWith('"')) return token.slice(1, -1).replaceAll('""', '"')
    if (!/^\w+$/.test(token)) throw syntaxError(at)
    return token.toUpperCase()
  }
  const names = () => {
    const path = [name()]
    while (accept('.')) path.push(name())
    return path
  }
  const parameter = () => {
    expect('?')
    return parameters[bound++] ?? null
  }
  const listOf = <Item>(item: () => Item): Item[] => {
    expect('(')
    const items = [item()]
    while (accept(',')) items.push(item())
    expect(')')
    return items
  }

  function value(): Evaluated {
    const token = peek()
    if (token === '?') {
      const given = parameter()
      return () => given
    }
    if (accept('null')) return () => null
    if (accept('cast')) {
      expect('(')
      const inner = value()
      expect('as')
      while (!accept(')')) {
        if (accept('(')) while (!accept(')')) next()
        else next()
      }
      return inner
    }
    if (accept('translate')) {
      const [inner, from, to] = listOf(value)
      return (row) => {
        const [letters, others] = [String(from!(row)), String(to!(row))]
        const replaced = (letter: string) =>
          letters.includes(letter) ? (others[letters.indexOf(letter)] ?? '') : letter
        return [...String(inner!(row))].map(replaced).join('')
      }
    }
    if (accept('case')) {
      expect('when')
      const guard = condition()
      expect('then')
      const then = value()
      expect('else')
      const otherwise = value()
      expect('end')
      return (row) => (guard(row) === true ? then(row) : otherwise(row))
    }
    if (token?.startsWith("'")) {
      next()
      return () => token.slice(1, -1)
    }
    if (/^\d+$/.test(token ?? '')) {
      next()
      return () => token
    }
    const column = name()
    if (!columns.has(column)) {
      throw new RefusedStatement('000904', '42000', `SQL compilation error: invalid identifier '"${column}"'`)
    }
    return (row) => row[column]
  }

  function condition(): Evaluated {
    const parts = [conjunction()]
    while (accept('or')) parts.push(conjunction())
    return (row) => parts.some((part) => part(row) === true)
  }

  function conjunction(): Evaluated {
    const parts = [comparison()]
    while (accept('and')) parts.push(comparison())
    return (row) => parts.every((part) => part(row) === true)
  }

  function comparison(): Evaluated {
    const start = [at, bound] as const
    if (accept('(')) {
      // a tuple and a condition in parentheses begin alike
      const first = value()
      if (accept(',')) {
        const own = [first, value()]
        while (accept(',')) own.push(value())
        expect(')', 'in')
        const tuples = listOf(() => listOf(value))
        return (row) => tuples.some((tuple) => tuple.every((part, place) => same(part(row), own[place]!(row))))
      }
      ;[at, bound] = start
      expect('(')
      const inner = condition()
      expect(')')
      return inner
    }
    const left = value()
    if (accept('is')) {
      expect('null')
      return (row) => left(row) === null
    }
    if (accept('=')) {
      const right = value()
      return (row) => same(left(row), right(row))
    }
    expect('in')
    const list = listOf(value)
    return (row) => list.some((each) => same(each(row), left(row)))
  }

  return { peek, next, expect, accept, names, parameter, condition, value }
}

function same(one: unknown, other: unknown): boolean {
  return one !== null && other !== null && String(one) === String(other)
}
