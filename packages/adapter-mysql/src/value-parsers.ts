import type { Value } from '@habeas/core'
import { parseJson, type ValueParser } from '@habeas/sql'
import type { MysqlColumn } from './live-column.js'

/** Returns how a value is made of what the driver gives, or undefined where that is the value. */
export function valueParser(column: MysqlColumn | undefined): ValueParser | undefined {
  switch (column?.family) {
    case 'boolean':
      return flag
    case 'single':
      return shortest
    case 'datetime':
      return withoutZone
    case 'timestamp':
      return (raw) => `${withoutZone(raw)}Z`
    case 'time':
      return withoutZeros
    case 'bytes':
    case 'vector':
      return (raw: unknown) => Buffer.from(raw as Uint8Array).toString('base64')
    case 'document':
      return parseJson
    default:
      return undefined
  }
}

/** A TINYINT(1) may hold other numbers, which stay what they are. */
function flag(raw: unknown): Value {
  const number = Number(raw)
  return number === 0 || number === 1 ? number === 1 : number
}

/** The number with the fewest digits that the server keeps as this one: 0.1 for 0.10000000149011612. */
function shortest(raw: unknown): Value {
  const number = Number(raw)
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(number.toPrecision(digits))
    if (Math.fround(short) === number) return short
  }
  return number
}

/** Turns `2024-01-31 12:00:00.500000` into RFC 3339 text. */
function withoutZone(raw: string): string {
  return withoutZeros(raw).replace(' ', 'T')
}

function withoutZeros(raw: string): string {
  return raw.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
}
