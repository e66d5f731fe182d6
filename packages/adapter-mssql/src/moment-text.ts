import type { Value } from '@habeas/core'
import { isDay, utcMoment } from '@habeas/sql'
import type { MssqlColumn } from './live-column.js'

const moment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,7})0*)?(Z|[+-]\d{2}:\d{2})?$/i

/** The years that a type of old holds. */
const years: Readonly<Record<string, readonly [number, number]>> = {
  datetime: [1753, 9999],
  smalldatetime: [1900, 2078],
}

/** Returns a day that the calendar has, or undefined. */
export function dateText(value: Value): string | undefined {
  return typeof value === 'string' && isHeldDay(value) ? value : undefined
}

export function timeText(digits: number, value: Value): string | undefined {
  const [, time, fraction = ''] =
    (typeof value === 'string' && /^((?:[01]\d|2[0-3])(?::[0-5]\d){2})(?:\.(\d{1,7}))?$/.exec(value)) || []
  const kept = fraction.replace(/0+$/, '')
  return time === undefined || kept.length > digits ? undefined : written('', time, kept)
}

/**
 * Returns a moment as the type takes it: with its zone where the type has one, else in UTC. Undefined where the type has fewer digits
 * of a second than the moment, since the server would round it.
 */
export function momentText({ base, scale }: Pick<MssqlColumn, 'base' | 'scale'>, value: Value): string | undefined {
  const [, day, time, fraction = '', zone = 'Z'] = (typeof value === 'string' && moment.exec(value)) || []
  if (day === undefined || time === undefined || !isHeldDay(day) || !/^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(time))
    return undefined
  const kept = fraction.replace(/0+$/, '')
  if (!isHeld(base, scale, time, kept)) return undefined
  if (base === 'datetimeoffset') return `${written(`${day} `, time, kept)} ${/^z$/i.test(zone) ? '+00:00' : zone}`
  const inUtc = /^(?:Z|[+-]00:00)$/i.test(zone) ? `${day} ${time}` : utcMoment(`${day}T${time}${zone}`)
  const [least, most] = years[base] ?? [1, 9999]
  const year = Number(inUtc?.slice(0, 4))
  if (inUtc === undefined || year < least || year > most) return undefined
  return written(`${inUtc.slice(0, 10)} `, inUtc.slice(11), kept)
}

/** A DATETIME has three hundredths of a second, of which it shows the thousandths 0, 3 and 7. */
function isHeld(base: string, scale: number, time: string, fraction: string): boolean {
  if (base === 'smalldatetime') return fraction === '' && time.endsWith(':00')
  if (base === 'datetime') return fraction.length <= 3 && /[037]$/.test(fraction.padEnd(3, '0'))
  return fraction.length <= scale
}

function written(day: string, time: string, fraction: string): string {
  return `${day}${time}${fraction && `.${fraction}`}`
}

/** Returns whether the server has the day: its calendar begins with the year 1. */
function isHeldDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !text.startsWith('0000') && isDay(text)
}
