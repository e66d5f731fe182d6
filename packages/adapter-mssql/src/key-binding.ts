import type { Value } from '@habeas/core'
import { decimalText, finiteText, matchingText, plainText, wholeText, writeJson } from '@habeas/sql'
import { lengthOfType, type MssqlColumn } from './live-column.js'
import { dateText, momentText, timeText } from './moment-text.js'

/** Turns a value into text that the type of the column takes; undefined where no row can hold it. */
export type Binder = (value: Value) => string | undefined

const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  tinyint: [0n, 255n],
  smallint: [-(2n ** 15n), 2n ** 15n - 1n],
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
}

/** Whole values of columns: keys, and new values of everything but documents. */
export function binderOf(column: MssqlColumn): Binder {
  const { base, precision, scale } = column
  switch (column.family) {
    case 'numeral':
      return (value) => wholeText(value, ranges.bigint as readonly [bigint, bigint])
    case 'integer':
      return (value) => wholeText(value, ranges[base] as readonly [bigint, bigint])
    case 'boolean':
      return (value) =>
        value === true || value === 'true' ? '1' : value === false || value === 'false' ? '0' : undefined
    case 'decimal':
      if (base === 'money') return (value) => moneyText(value, 63n)
      if (base === 'smallmoney') return (value) => moneyText(value, 31n)
      return (value) => decimalText(value, precision, scale)
    case 'single':
      return (value) => finiteText(value, Math.fround)
    case 'double':
      return (value) => finiteText(value, (number) => number)
    case 'text':
      return (value) => fitting(column, plainText(value))
    case 'uuid':
      return (value) => matchingText(value, /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i)
    case 'date':
      return dateText
    case 'datetime':
      return (value) => momentText(column, value)
    case 'time':
      return (value) => timeText(scale, value)
    case 'bytes':
      return (value) => {
        const text = matchingText(value, /^[A-Za-z0-9+/]*={0,2}$/)
        return text !== undefined && text.length % 4 === 0 ? Buffer.from(text, 'base64').toString('hex') : undefined
      }
    case 'document':
    case 'other':
      // equal documents may be written differently, and no operator of the server compares them
      return () => undefined
  }
}

/** New values. A text that its set of characters lacks would become question marks without an error. */
export function valueBinderOf(column: MssqlColumn): Binder {
  if (column.family === 'document') return (value) => writeJson(value)
  if (column.family === 'other') return () => undefined
  const bind = binderOf(column)
  if (column.codePage === null) return bind
  return (value) => {
    const text = bind(value)
    return text !== undefined && holds(column.codePage as number, text) ? text : undefined
  }
}

/** A text that is longer than its type cannot be in a row, and as a key it would be cut off. */
function fitting({ type }: MssqlColumn, text: string | undefined): string | undefined {
  const most = lengthOfType(type)
  return text === undefined || most === undefined || text.length <= most ? text : undefined
}

const utf8 = 65_001
const latin1 = 1252

/** Windows-1252 has these characters, and every other one below 256 outside of 128 to 159. */
const beyondLatin1 = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

function holds(codePage: number, text: string): boolean {
  if (codePage === utf8 || /^[\0-\x7f]*$/.test(text)) return true
  return codePage === latin1 && [...text].every((each) => /^[\0-\x7f\xa0-\xff]$/.test(each) || beyondLatin1.has(each))
}

/** A number of four digits behind the point, kept as a whole number of `bits` bits. */
function moneyText(value: Value, bits: bigint): string | undefined {
  const text = decimalText(value, 19, 4)
  if (text === undefined) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  const units = BigInt(`${whole}${fraction.padEnd(4, '0')}`)
  return units >= -(2n ** bits) && units < 2n ** bits ? text : undefined
}
