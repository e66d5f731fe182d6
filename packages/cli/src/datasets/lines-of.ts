/** The lines of a text by places in it. */
export interface Lines {
  /** What ends a line. */
  readonly end: string
  /** Where the line of a place begins. */
  start(at: number): number
  /** How far a place is from there. */
  column(at: number): number
  /** Where the line behind a place begins. */
  after(at: number): number
  /** Whether lines hold nothing but what stands between two places, a comma and a comment. */
  areOwn(from: number, to: number): boolean
  /** The same as `after`, behind the comments that are of a list with its items in this column. */
  behindComments(at: number, column: number): number
}

export function linesOf(text: string): Lines {
  const start = (at: number) => {
    const found = text.lastIndexOf('\n', at - 1) + 1
    return found === 0 && text.startsWith('\uFEFF') ? 1 : found
  }
  const after = (at: number) => {
    if (text[at - 1] === '\n') return at
    const found = text.indexOf('\n', at)
    return found === -1 ? text.length : found + 1
  }
  return {
    end: text.includes('\r\n') ? '\r\n' : '\n',
    start,
    column: (at) => at - start(at),
    after,
    areOwn: (from, to) =>
      text.slice(start(from), from).trim() === '' && /^\s*,?\s*(?:#.*)?$/.test(text.slice(to, after(to)).trimEnd()),
    behindComments(at, column) {
      const below = text.slice(after(at)).split(/(?<=\n)/)
      const next = below.find((line) => !/^\s*(?:#|$)/.test(line))
      // what comments stand in one line with, they speak of
      const nextColumn = next === undefined ? 0 : indentOf(next)
      let [place, end] = [after(at), after(at)]
      for (const line of below) {
        if (line === next) break
        place += line.length
        const own = indentOf(line)
        if (line.trim() === '') continue
        if (own < column || own === nextColumn) break
        end = place
      }
      return end
    },
  }
}

const indentOf = (line: string) => /^\s*/.exec(line.trimEnd())?.[0].length ?? 0
