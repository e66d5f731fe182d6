import { PrivacyError } from '../../errors.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import { addMonths, type CalendarDay, dayText, endOfDay, localDay } from '../value/time-zone.js'

/** A number of days, or the law whose limit applies. */
export type Timeframe = NonNullable<Policy['execution_timeframe']>

/** An event that changes a deadline after the receipt of the request. Times are ISO 8601. */
export type DeadlineEvent =
  | { readonly type: 'identity_verified'; readonly at: string }
  | { readonly type: 'extended'; readonly at: string; readonly reason: string }

export interface DeadlineFacts {
  readonly timeframe: Timeframe
  /** When the request was received, ISO 8601. */
  readonly receivedAt: string
  readonly events?: readonly DeadlineEvent[]
  /** IANA name of the time zone in which days are counted. Default: UTC. */
  readonly timeZone?: string
}

export interface Deadline {
  /** The last millisecond of the due date in its time zone, ISO 8601 in UTC. */
  readonly dueAt: string
  /** The due date itself, `YYYY-MM-DD`. */
  readonly dueDate: string
  readonly extended: boolean
  /** Whole calendar days until the due date: 0 on that day, negative after it. */
  daysLeft(now: Date): number
}

type Period = { readonly days: number } | { readonly months: number }

interface Limit {
  readonly period: Period
  /** The whole period after an extension, counted from the same day. */
  readonly extended?: Period
  /** The period begins when the identity is proven, if that is later than the receipt. */
  readonly beginsWithIdentity?: true
}

/**
 * Every law counts from the day of receipt, without that day, to the end of a day. Weekends extend no period here,
 * since an early answer is never wrong.
 */
const limits: Readonly<Record<Exclude<Timeframe, number>, Limit>> = {
  // Art. 12(3), counted by Regulation 1182/71: the same date one month later, or three months later after an extension.
  gdpr: { period: { months: 1 }, extended: { months: 3 } },
  // Art. 12A: the month begins when the information that proves the identity arrives.
  uk_gdpr: { period: { months: 1 }, extended: { months: 3 }, beginsWithIdentity: true },
  // 11 CCR § 7021(b): verification does not stop the period, and 90 days from receipt is the limit.
  ccpa: { period: { days: 45 }, extended: { days: 90 } },
  // Art. 19 II, without an extension.
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

/** The deadline of a request. Throws `misconfigured` when the time zone is unknown. */
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
 * Makes the event that extends a deadline. Store it, and tell the person the reason, as every law demands. Throws
 * `unsupported` where the timeframe allows no extension, `invalid_state` after the deadline or a first extension,
 * `invalid_input` without a reason.
 */
export function extend(
  facts: DeadlineFacts,
  { at, reason }: { readonly at: Date; readonly reason: string },
): DeadlineEvent & { readonly type: 'extended' } {
  const { timeframe } = facts
  if (limitOf(timeframe).extended === undefined) {
    const which = typeof timeframe === 'number' ? 'a timeframe in days' : `the timeframe ${timeframe}`
    const message = `The deadline cannot be extended: ${which} allows no extension. Only gdpr, uk_gdpr and ccpa do.`
    throw new PrivacyError('unsupported', message, { feature: 'extension' })
  }
  if (isExtended(facts)) {
    const message = 'The deadline can be extended only once, and it was extended before: answer by the due date.'
    throw new PrivacyError('invalid_state', message, { status: 'extended', event: 'extend' })
  }
  const { dueAt, dueDate } = deadline(facts)
  if (at.getTime() > Date.parse(dueAt)) {
    const message = `The deadline can no longer be extended: the person had to be told by ${dueDate}. Answer without delay.`
    throw new PrivacyError('invalid_state', message, { status: 'overdue', event: 'extend' })
  }
  if (reason.trim() === '') {
    throw invalidInput('extension', [{ loc: ['reason'], msg: 'is required: the person receives it', type: 'missing' }])
  }
  return { type: 'extended', at: at.toISOString(), reason }
}
