/** The server does not know the statement. */
export class SyntaxError102 extends Error {}

/** A part of a statement. Words have small letters. */
type Token = { readonly kind: 'name' | 'word' | 'text' | 'number' | 'parameter' | 'sign'; readonly text: string }

const pattern =
  /\s+|\[((?:[^\]]|\]\])*)\]|'((?:[^']|'')*)'|@([0-9]+)|(@@rowcount)|([a-z_][a-z0-9_]*)|([0-9]+)|(<>|[(),.=<>+;*])/giy

export function tokens(sql: string): Token[] {
  const found: Token[] = []
  pattern.lastIndex = 0
  while (pattern.lastIndex < sql.length) {
    const at = pattern.lastIndex
    const match = pattern.exec(sql)
    if (!match) throw new SyntaxError102(`Incorrect syntax near '${sql[at]}'.`)
    const [, name, text, parameter, global, word, number, sign] = match
    if (name !== undefined) found.push({ kind: 'name', text: name.replaceAll(']]', ']') })
    else if (text !== undefined) found.push({ kind: 'text', text: text.replaceAll("''", "'") })
    else if (parameter !== undefined) found.push({ kind: 'parameter', text: parameter })
    else if (number !== undefined) found.push({ kind: 'number', text: number })
    else if (global ?? word) found.push({ kind: 'word', text: (global ?? word ?? '').toLowerCase() })
    else if (sign !== undefined) found.push({ kind: 'sign', text: sign })
  }
  return found
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Reads a statement token by token. */
export class TokenReader {
  protected readonly tokens: readonly Token[]
  protected at = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  protected path(): string {
    const names = [this.name()]
    while (this.take('.')) names.push(this.name())
    return names.join('.')
  }

  protected name(): string {
    return quoted(this.kind('name'))
  }

  protected list<Part>(part: () => Part): Part[] {
    const parts = [part()]
    while (this.take(',')) parts.push(part())
    return parts
  }

  protected parenthesized<Part>(part: () => Part): Part {
    this.expect('(')
    const inner = part()
    this.expect(')')
    return inner
  }

  protected parenthesizedList<Part>(part: () => Part): Part[] {
    return this.parenthesized(() => this.list(part))
  }

  protected next(text: string): boolean {
    const token = this.tokens[this.at]
    return token?.text === text && (token.kind === 'word' || token.kind === 'sign' || token.kind === 'number')
  }

  protected take(text: string): boolean {
    if (!this.next(text)) return false
    this.at++
    return true
  }

  protected expect(text: string): void {
    if (!this.take(text)) this.refuse()
  }

  protected kind(kind: Token['kind']): string {
    const token = this.tokens[this.at]
    if (token?.kind !== kind) return this.refuse()
    this.at++
    return token.text
  }

  protected refuse(): never {
    const near = this.tokens[this.at]?.text ?? 'the end'
    throw new SyntaxError102(`Incorrect syntax near '${near}'.`)
  }
}
