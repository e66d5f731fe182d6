import { refused } from './values.js'

/** An expression. Everything else of the language is no shape that the connector sends. */
export type Expression =
  | { readonly is: 'literal'; readonly value: string | bigint | boolean | null }
  | { readonly is: 'parameter'; readonly name: string }
  | { readonly is: 'path'; readonly names: readonly string[] }
  | {
      readonly is: 'call'
      readonly name: string
      readonly args: readonly Expression[]
      readonly names: readonly string[]
    }
  | { readonly is: 'cast'; readonly value: Expression; readonly type: string; readonly safe: boolean }
  | { readonly is: 'list'; readonly elements: readonly Expression[] }
  | {
      readonly is: 'case'
      readonly whens: readonly (readonly [Expression, Expression])[]
      readonly otherwise: Expression
    }
  | { readonly is: 'in'; readonly value: Expression; readonly list: Expression }
  | { readonly is: 'null'; readonly value: Expression; readonly not: boolean }
  | { readonly is: 'compare'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | { readonly is: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly is: 'not'; readonly value: Expression }
  | { readonly is: 'select'; readonly as: 'scalar' | 'exists' | 'array' | 'list'; readonly select: Select }

export type Source =
  | { readonly is: 'table'; readonly path: string; readonly alias: string }
  | { readonly is: 'unnest'; readonly list: Expression; readonly alias: string }
  | { readonly is: 'select'; readonly select: Select; readonly alias: string }

export interface Select {
  readonly distinct: boolean
  readonly columns: readonly { readonly value: Expression; readonly alias: string }[]
  readonly from: readonly Source[]
  readonly where: Expression | undefined
  /** Grouped by the first column. */
  readonly grouped: boolean
}

export type StatementNode =
  | { readonly is: 'select'; readonly select: Select }
  | {
      readonly is: 'update'
      readonly path: string
      readonly set: readonly { readonly column: string; readonly to: Expression }[]
      readonly from: Source | undefined
      readonly where: Expression
    }
  | { readonly is: 'delete'; readonly path: string; readonly where: Expression }

const token = /\s+|`((?:[^`\\]|\\.)*)`|'((?:[^'\\]|\\.)*)'|(@\w+)|(\d+)|([a-zA-Z_]\w*)|(<>|=>|<=|>=|[(),.[\]=<>*-])/gy
const escapes: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' }
const unescaped = (text: string) => text.replace(/\\(.)/g, (_, char: string) => escapes[char] ?? char)

interface Token {
  readonly kind: 'name' | 'text' | 'parameter' | 'number' | 'word' | 'sign' | 'end'
  readonly text: string
}

function tokensOf(statement: string): Token[] {
  const tokens: Token[] = []
  token.lastIndex = 0
  while (token.lastIndex < statement.length) {
    const at = token.lastIndex
    const match = token.exec(statement)
    if (!match) throw refused(`Syntax error at ${at}: ${statement.slice(at, at + 20)}`)
    const [, name, text, parameter, number, word, sign] = match
    if (name !== undefined) tokens.push({ kind: 'name', text: unescaped(name) })
    else if (text !== undefined) tokens.push({ kind: 'text', text: unescaped(text) })
    else if (parameter !== undefined) tokens.push({ kind: 'parameter', text: parameter.slice(1) })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign })
  }
  return [...tokens, { kind: 'end', text: '' }]
}

/** Reads one statement of the shapes that the connector sends, and refuses every other. */
export function parsed(statement: string): StatementNode {
  const tokens = tokensOf(statement)
  let at = 0
  const peek = (text: string, kind: Token['kind'] = /\d/.test(text) ? 'number' : /\w/.test(text) ? 'word' : 'sign') =>
    tokens[at]!.text === text && tokens[at]!.kind === kind
  const take = (text: string) => peek(text) && ++at > 0
  const isSelect = (index: number) => tokens[index]!.kind === 'word' && tokens[index]!.text === 'select'
  const need = (text: string) => {
    if (!take(text)) throw refused(`Syntax error: Expected "${text}" but got "${tokens[at]!.text}"`)
  }
  const list = <Item>(item: () => Item): Item[] => {
    const items = [item()]
    while (take(',')) items.push(item())
    return items
  }
  const name = (): string => {
    const { kind, text } = tokens[at++]!
    if (kind !== 'name' && kind !== 'word') throw refused(`Syntax error: Unexpected "${text}"`)
    return text
  }
  const path = (): string[] => {
    const names = [name()]
    while (take('.')) names.push(name())
    return names
  }

  const node = statementNode()
  if (tokens[at]!.kind !== 'end') throw refused(`Syntax error: Unexpected "${tokens[at]!.text}"`)
  return node

  function statementNode(): StatementNode {
    if (take('update')) {
      const table = path().join('.')
      need('set')
      const set = list(() => {
        const column = name()
        need('=')
        return { column, to: expression() }
      })
      const from = take('from') ? source() : undefined
      need('where')
      return { is: 'update', path: table, set, from, where: expression() }
    }
    if (take('delete')) {
      need('from')
      const table = path().join('.')
      need('where')
      return { is: 'delete', path: table, where: expression() }
    }
    return { is: 'select', select: select() }
  }

  function select(): Select {
    need('select')
    const distinct = take('distinct')
    const columns = list(() => {
      const value = expression()
      const alias = take('as') ? name() : value.is === 'path' ? value.names.at(-1)! : ''
      return { value, alias }
    })
    const from = take('from') ? list(source) : []
    const where = take('where') ? expression() : undefined
    const grouped = take('group')
    if (grouped) {
      need('by')
      need('1')
    }
    return { distinct, columns, from, where, grouped }
  }

  function source(): Source {
    const named = () => (take('as') ? name() : '')
    if (take('unnest')) {
      need('(')
      const list = expression()
      need(')')
      return { is: 'unnest', list, alias: named() }
    }
    if (take('(')) {
      const inner = select()
      need(')')
      return { is: 'select', select: inner, alias: named() }
    }
    const names = path()
    const alias = named()
    return { is: 'table', path: names.join('.'), alias: alias || names.at(-1)! }
  }

  function expression(): Expression {
    const parts = [conjunction()]
    while (take('or')) parts.push(conjunction())
    return parts.length === 1 ? parts[0]! : { is: 'or', parts }
  }

  function conjunction(): Expression {
    const parts = [negation()]
    while (take('and')) parts.push(negation())
    return parts.length === 1 ? parts[0]! : { is: 'and', parts }
  }

  function negation(): Expression {
    return take('not') ? { is: 'not', value: negation() } : comparison()
  }

  function comparison(): Expression {
    const left = difference()
    for (const sign of ['=', '<>', '<=', '>=', '<', '>'])
      if (take(sign)) return { is: 'compare', sign, left, right: difference() }
    if (take('is')) {
      const not = take('not')
      need('null')
      return { is: 'null', value: left, not }
    }
    if (!take('in')) return left
    if (take('unnest')) {
      need('(')
      const list = expression()
      need(')')
      return { is: 'in', value: left, list }
    }
    return { is: 'in', value: left, list: subquery('list') }
  }

  function difference(): Expression {
    const left = primary()
    return take('-') ? { is: 'call', name: '-', args: [left, primary()], names: [] } : left
  }

  function subquery(as: 'scalar' | 'exists' | 'array' | 'list'): Expression {
    need('(')
    const inner = select()
    need(')')
    return { is: 'select', as, select: inner }
  }

  function taken(expression: Expression): Expression {
    at++
    return expression
  }

  function primary(): Expression {
    const { kind, text } = tokens[at]!
    if (kind === 'text') return taken({ is: 'literal', value: text })
    if (kind === 'number') return taken({ is: 'literal', value: BigInt(text) })
    if (kind === 'parameter') return taken({ is: 'parameter', name: text })
    if (take('null')) return { is: 'literal', value: null }
    if (take('true')) return { is: 'literal', value: true }
    if (take('false')) return { is: 'literal', value: false }
    if (take('exists')) return subquery('exists')
    if (take('case')) return cases()
    if (take('[')) {
      const elements = list(expression)
      need(']')
      return { is: 'list', elements }
    }
    if (peek('(') && isSelect(at + 1)) return subquery('scalar')
    if (take('(')) {
      const inner = expression()
      need(')')
      return inner
    }
    if (kind === 'word' && tokens[at + 1]!.text === '(') return call()
    return { is: 'path', names: path() }
  }

  function cases(): Expression {
    const whens: [Expression, Expression][] = []
    while (take('when')) {
      const when = expression()
      need('then')
      whens.push([when, expression()])
    }
    const otherwise: Expression = take('else') ? expression() : { is: 'literal', value: null }
    need('end')
    return { is: 'case', whens, otherwise }
  }

  function call(): Expression {
    const called = name()
    if (called === 'array' && isSelect(at + 1)) return subquery('array')
    need('(')
    if (called === 'cast' || called === 'safe_cast') {
      const value = expression()
      need('as')
      const type = name()
      need(')')
      return { is: 'cast', value, type, safe: called === 'safe_cast' }
    }
    const names: string[] = []
    const args = take('*')
      ? []
      : list(() => {
          // the name of an argument
          if (tokens[at + 1]!.text === '=>') at += 2
          const value = expression()
          names.push(take('as') ? name() : '')
          return value
        })
    need(')')
    return { is: 'call', name: called, args, names }
  }
}
