/** What a cell holds; null leaves it empty, which an empty text does not (it is written as `""`). */
export type CsvValue = string | number | boolean | null | undefined

/** A line of CSV (RFC 4180) with its line break; a text that a spreadsheet would calculate is neutralised. */
export function csvLine(values: readonly CsvValue[]): string {
  // Readers skip an empty line, and with it the row.
  return `${values.map(csvCell).join(',') || '""'}\n`
}

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? quoted(neutral(value)) : String(value)
}

const formula = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@＝＋－＠])/u
const number = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|Infinity)$/i

/** An apostrophe goes before what would be a formula. A number stays one, also where it travels as text. */
function neutral(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text
}

function quoted(text: string): string {
  return text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
