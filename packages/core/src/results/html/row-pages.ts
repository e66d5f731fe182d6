import { rowTexts } from '../row-texts.js'

/** A size that a phone opens without effort. */
const maxRows = 500
const maxCharacters = 256 * 1024

export type Members = Readonly<Record<string, unknown>>

/** The rows of each page: as many as a phone can show, and at least one. */
export async function* rowPages(spool: AsyncIterable<Uint8Array>): AsyncIterable<readonly Members[]> {
  let rows: Members[] = []
  let characters = 0
  for await (const texts of rowTexts(spool)) {
    for (const text of texts) {
      if (rows.length === maxRows || (rows.length > 0 && characters + text.length > maxCharacters)) {
        yield rows
        rows = []
        characters = 0
      }
      rows.push(JSON.parse(text))
      characters += text.length
    }
  }
  if (rows.length > 0) yield rows
}

/** How a collection is best shown. */
export interface Survey {
  readonly pages: number
  /** Every field of the rows, in the order found. */
  readonly columns: readonly string[]
  /** A few short plain fields make a table; other rows read better as one block each. */
  readonly isTable: boolean
}

const maxTableColumns = 7
const maxTableText = 80
/** Length of the longest words of all columns together: a table of that width fits a sheet of paper. */
const maxTableWords = 90

/** Reads a collection once and keeps names and counts. */
export async function survey(spool: AsyncIterable<Uint8Array>): Promise<Survey> {
  const widths = new Map<string, number>()
  let pages = 0
  let rowCount = 0
  let short = true
  for await (const rows of rowPages(spool)) {
    pages++
    rowCount += rows.length
    for (const row of rows) {
      for (const [name, value] of Object.entries(row)) {
        short &&= isShort(value)
        widths.set(name, Math.max(widths.get(name) ?? longestWord(name), short ? longestWord(value) : 0))
      }
    }
  }
  const width = [...widths.values()].reduce((sum, each) => sum + each, 0)
  const isTable = short && rowCount > 1 && widths.size <= maxTableColumns && width <= maxTableWords
  return { pages, columns: [...widths.keys()], isTable }
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= maxTableText : typeof value !== 'object' || value === null
}

function longestWord(value: unknown): number {
  let longest = 0
  for (const word of String(value).split(/\s/)) longest = Math.max(longest, word.length)
  return longest
}
