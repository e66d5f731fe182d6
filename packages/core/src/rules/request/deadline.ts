import { PrivacyError } from '../../errors.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import { addMonths, type CalendarDay, dayText, endOfDay, localDay } from '../value/time-zone.js'

/** Days, or the law whose limit applies. */
export type Timeframe = NonNullable<Policy['execution_timeframe']>

/** What changes a deadline after the request was received. Times are ISO 8601. */
export type DeadlineEvent =
  | { readonly type: 'identity_verified'; readonly at: string }
  | { readonly type: 'extended'; readonly at: string; readonly reason: string }

export interface DeadlineFacts {
  readonly timeframe: Timeframe
  /** When the request was received, ISO 8601. */
  readonly receivedAt: string
  readonly events?: readonly DeadlineEvent[]
  /** IANA name: days are those of a calendar hanging there. Default: UTC. */
  readonly timeZone?: string
}

export interface Deadline {
  /** The last millisecond of the due date in its time zone, ISO 8601 in UTC. */
  readonly dueAt: string
  /** The due date itself, `YYYY-MM-DD`. */
  readonly dueDate: string
  readonly extended: boolean
  /** Whole days of the calendar until the due date: 0 on that day, negative after it. */
  daysLeft(now: Date): number
}

type Period = { readonly days: number } | { readonly months: number }

interface Limit {
  readonly period: Period
  /** The whole period once it was extended. Both are counted from the same day. */
  readonly extended?: Period
  /** The period begins when the identity is proven, if that is later than the receipt. */
  readonly beginsWithIdentity?: true
}

/**
 * Every law counts from the day of receipt, that day not included, to the end of a day; none of them waits for
 * weekends here, since being early is never wrong.
 */
const limits: Readonly<Record<Exclude<Timeframe, number>, Limit>> = {
  // Art. 12(3), counted by Regulation 1182/71: the same date a month later, three months from the start when extended.
  gdpr: { period: { months: 1 }, extended: { months: 3 } },
  // Art. 12A: the month begins when the information that proves the identity is there.
  uk_gdpr: { period: { months: 1 }, extended: { months: 3 }, beginsWithIdentity: true },
  // 11 CCR § 7021(b): verification does not stop the period, and 90 days from receipt is the most.
  ccpa: { period: { days: 45 }, extended: { days: 90 } },
  // Art. 19 II, with no extension.
  lgpd: { period: { days: 15 } },
}

const limitOf = (timeframe: Timeframe): Limit =>
  typeof timeframe === 'number' ? { period: { days: timeframe } } : limits[timeframe]

const lastDay = (first: CalendarDay, period: Period): CalendarDay =>
  'days' in period ? first + period.days : addMonths(first, period.months)

function firstDay({ timeframe, receivedAt, events = [], timeZone = 'UTC' }: DeadlineFacts): CalendarDay {
  const received = Date.parse(receivedAt)
  const proven = limitOf(timeframe).beginsWithIdentity
    ? events.filter(({ type }) => type === 'identity_verified').map(({ at }) => Date.parse(at))
    : []
  return localDay(proven.length > 0 ? Math.max(received, Math.min(...proven)) : received, timeZone)
}

const isExtended = ({ events = [] }: DeadlineFacts): boolean => events.some(({ type }) => type === 'extended')

/** By when a request has to be answered. Throws `misconfigured` when the time zone is unknown. */
export function deadline(facts: DeadlineFacts): Deadline {
  const { timeZone = 'UTC' } = facts
  const { period, extended } = limitOf(facts.timeframe)
  const isLonger = extended !== undefined && isExtended(facts)
  const due = lastDay(firstDay(facts), isLonger ? extended : period)
  return {
    dueAt: new Date(endOfDay(due, timeZone)).toISOString(),
    dueDate: dayText(due),
    extended: isLonger,
    daysLeft: (now) => due - localDay(now.getTime(), timeZone),
  }
}

/**
 * The event that extends a deadline, to be kept and, as every law demands, told to the person with its reason. Throws
 * `unsupported` where there is no extension, `invalid_state` when it is too late or there was one, `invalid_input`
 * without a reason.
 */
export function extend(
  facts: DeadlineFacts,
  { at, reason }: { readonly at: Date; readonly reason: string },
): DeadlineEvent & { readonly type: 'extended' } {
  const { timeframe } = facts
  if (limitOf(timeframe).extended === undefined) {
    const which = typeof timeframe === 'number' ? 'a timeframe in days' : `the timeframe ${timeframe}`
    const message = `The deadline cannot be extended: ${which} knows no extension; gdpr, uk_gdpr and ccpa do.`
    throw new PrivacyError('unsupported', message, { feature: 'extension' })
  }
  if (isExtended(facts)) {
    const message = 'The deadline was extended before, and may be extended once only: answer by the due date.'
    throw new PrivacyError('invalid_state', message, { status: 'extended', event: 'extend' })
  }
  const { dueAt, dueDate } = deadline(facts)
  if (at.getTime() > Date.parse(dueAt)) {
    const message = `The deadline can no longer be extended: that had to be told to the person by ${dueDate}. Answer without delay.`
    throw new PrivacyError('invalid_state', message, { status: 'overdue', event: 'extend' })
  }
  if (reason.trim() === '') {
    throw invalidInput('extension', [{ loc: ['reason'], msg: 'is required: the person is told why', type: 'missing' }])
  }
  return { type: 'extended', at: at.toISOString(), reason }
}
