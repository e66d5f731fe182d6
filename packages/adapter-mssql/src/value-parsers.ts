import type { Value } from '@habeas/core'
import { parseJson, shortestSingle, type ValueParser } from '@habeas/sql'
import type { MssqlColumn } from './live-column.js'

/** Returns how a value is made of what the driver gives, or undefined where that is the value. */
export function valueParser(column: MssqlColumn | undefined): ValueParser | undefined {
  switch (column?.family) {
    case 'integer':
      return column.base === 'bigint' ? whole : undefined
    case 'single':
      return (raw: unknown) => shortestSingle(Number(raw))
    case 'datetime':
      return moment
    case 'time':
      return withoutZeros
    case 'bytes':
      return (raw: unknown) => Buffer.from(raw as Uint8Array).toString('base64')
    case 'document':
      return parsed
    default:
      return undefined
  }
}

/** A check may have come after the rows, so that some text may be no document. */
function parsed(raw: string): Value {
  try {
    return parseJson(raw)
  } catch {
    return raw
  }
}

function whole(raw: string): Value {
  const number = Number(raw)
  return Number.isSafeInteger(number) ? number : raw
}

/** Turns `2024-01-31 12:00:00.5000000 +02:00` into RFC 3339 text. Without a zone it has none afterwards either. */
function moment(raw: string): string {
  const [, day, time, zone = ''] = /^(\S+) (\S+)(?: (\S+))?$/.exec(raw) ?? []
  return day === undefined || time === undefined ? raw : `${day}T${withoutZeros(time)}${zone}`
}

function withoutZeros(time: string): string {
  return time.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
}
