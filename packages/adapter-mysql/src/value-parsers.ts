import type { Value } from '@habeas/core'
import { parseJson, shortestSingle, type ValueParser } from '@habeas/sql'
import type { MysqlColumn } from './live-column.js'

/** Returns how a value is made of what the driver gives, or undefined where that is the value. */
export function valueParser(column: MysqlColumn | undefined): ValueParser | undefined {
  switch (column?.family) {
    case 'boolean':
      return flag
    case 'single':
      return (raw: unknown) => shortestSingle(Number(raw))
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

/** Turns `2024-01-31 12:00:00.500000` into RFC 3339 text. */
function withoutZone(raw: string): string {
  return withoutZeros(raw).replace(' ', 'T')
}

function withoutZeros(raw: string): string {
  if (!raw.includes('.')) return raw
  return raw.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
}
