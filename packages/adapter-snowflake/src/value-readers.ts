import type { Column } from 'snowflake-sdk'

/** A time as the driver gives it: to the millisecond a Date, and beside it exactly. */
interface SnowflakeTime {
  getEpochSeconds(): number
  getNanoSeconds(): number
  getTimezone(): unknown
}

/** Makes plain text, numbers as text, of what the driver gives in a column. */
export function readerOf(column: Column): (value: unknown) => unknown {
  // numbers are asked for as text, and some versions of the driver write null as such
  if (column.isNumber()) return (value) => (value === null || value === 'NULL' ? null : String(value))
  if (column.isDate()) return unlessNull((value) => dayText(epochSeconds(value)))
  if (column.isTime()) return unlessNull((value) => (typeof value === 'string' ? value : timeOfDay(value)))
  if (column.isTimestamp()) {
    const zone = column.isTimestampTz() ? 'own' : column.isTimestampNtz() ? 'none' : 'utc'
    return unlessNull((value) => timeText(value as SnowflakeTime, zone))
  }
  if (column.isBinary()) return unlessNull((value) => Buffer.from(value as Uint8Array).toString('base64'))
  return unlessNull((value) => value)
}

function unlessNull(read: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => (value === null || value === undefined ? null : read(value))
}

function epochSeconds(value: unknown): number {
  return (value as SnowflakeTime).getEpochSeconds()
}

/** Years beyond four digits keep their sign, as ISO 8601 extends them. */
function dayText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, -14)
}

/** RFC 3339 with the nanoseconds that are not zero, in the zone that the value was stored with, or without a zone. */
function timeText(value: SnowflakeTime, zone: 'own' | 'none' | 'utc'): string {
  const [seconds, nanoSeconds] = [value.getEpochSeconds(), value.getNanoSeconds()]
  const minutes = zone === 'own' ? Number(value.getTimezone()) || 0 : 0
  const text = new Date((seconds + minutes * 60) * 1_000).toISOString().slice(0, -5)
  const offset = zone === 'none' ? '' : minutes === 0 ? 'Z' : offsetText(minutes)
  return `${text}${fraction(nanoSeconds)}${offset}`
}

function timeOfDay(value: unknown): string {
  const { getMidnightSeconds, getNanoSeconds } = value as {
    getMidnightSeconds(): number
    getNanoSeconds(): number
  }
  return `${new Date(getMidnightSeconds() * 1_000).toISOString().slice(11, 19)}${fraction(getNanoSeconds())}`
}

function fraction(nanoSeconds: number): string {
  return nanoSeconds === 0 ? '' : `.${String(nanoSeconds).padStart(9, '0').replace(/0+$/, '')}`
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
