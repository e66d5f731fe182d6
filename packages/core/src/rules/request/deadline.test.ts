import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { type DeadlineEvent, type DeadlineFacts, deadline, extend, type Timeframe } from './deadline.js'

const extension: DeadlineEvent = { type: 'extended', at: '2024-01-10T00:00:00Z', reason: 'many systems' }
const proof = (at: string): DeadlineEvent => ({ type: 'identity_verified', at })

describe('deadline', () => {
  it.each<[Timeframe, string, string, string]>([
    [30, '2024-01-31T08:00:00Z', '2024-03-01', 'days do not know months'],
    [1, '2024-02-28T23:59:59.999Z', '2024-02-29', ''],
    ['gdpr', '2024-03-05T08:00:00Z', '2024-04-05', 'the same date'],
    ['gdpr', '2024-01-31T08:00:00Z', '2024-02-29', 'the last day of a shorter month'],
    ['gdpr', '2023-01-29T08:00:00Z', '2023-02-28', ''],
    ['gdpr', '2023-08-31T08:00:00Z', '2023-09-30', ''],
    ['gdpr', '2023-12-31T08:00:00Z', '2024-01-31', ''],
    ['uk_gdpr', '2023-09-03T08:00:00Z', '2023-10-03', 'the corresponding date'],
    ['uk_gdpr', '2023-03-31T08:00:00Z', '2023-04-30', ''],
    ['ccpa', '2023-01-31T08:00:00Z', '2023-03-17', '45 days'],
    ['ccpa', '2024-01-31T08:00:00Z', '2024-03-16', '45 days'],
    ['lgpd', '2024-02-20T08:00:00Z', '2024-03-06', '15 days'],
  ])('%s, received %s: %s %s', (timeframe, receivedAt, dueDate) => {
    const found = deadline({ timeframe, receivedAt })
    expect(found).toMatchObject({ dueDate, dueAt: `${dueDate}T23:59:59.999Z`, extended: false })
  })

  it.each<[Timeframe, string, string]>([
    ['gdpr', '2024-01-31T08:00:00Z', '2024-04-30'],
    ['gdpr', '2023-11-30T08:00:00Z', '2024-02-29'],
    ['uk_gdpr', '2024-01-05T08:00:00Z', '2024-04-05'],
    ['ccpa', '2024-01-01T08:00:00Z', '2024-03-31'],
  ])('%s, received %s, extended: %s, counted from the start', (timeframe, receivedAt, dueDate) => {
    expect(deadline({ timeframe, receivedAt, events: [extension] })).toMatchObject({ dueDate, extended: true })
  })

  it.each<[Timeframe, string]>([
    ['gdpr', '2024-02-10'],
    ['uk_gdpr', '2024-02-14'],
    ['ccpa', '2024-02-24'],
    ['lgpd', '2024-01-25'],
    [10, '2024-01-20'],
  ])('%s, identity proven four days after the receipt: %s', (timeframe, dueDate) => {
    const events = [proof('2024-01-14T09:00:00Z'), proof('2024-01-20T09:00:00Z')]
    expect(deadline({ timeframe, receivedAt: '2024-01-10T08:00:00Z', events }).dueDate).toBe(dueDate)
  })

  it('an identity proven earlier does not begin a UK period before the request', () => {
    const facts: DeadlineFacts = { timeframe: 'uk_gdpr', receivedAt: '2024-01-10T08:00:00Z' }
    expect(deadline({ ...facts, events: [proof('2023-12-01T00:00:00Z')] }).dueDate).toBe('2024-02-10')
  })

  it.each([
    // It is still the evening of the 30th there, so February 29 is the same date.
    ['2024-01-31T04:00:00Z', 'America/New_York', '2024-03-01T04:59:59.999Z', '2024-02-29'],
    // The clocks change between receipt and due date.
    ['2024-03-10T12:00:00Z', 'Europe/Berlin', '2024-04-10T21:59:59.999Z', '2024-04-10'],
    ['2024-09-30T23:30:00Z', 'Europe/Berlin', '2024-11-01T22:59:59.999Z', '2024-11-01'],
    ['2024-01-30T20:00:00Z', 'Pacific/Auckland', '2024-02-29T10:59:59.999Z', '2024-02-29'],
  ])('received %s in %s: due %s', (receivedAt, timeZone, dueAt, dueDate) => {
    expect(deadline({ timeframe: 'gdpr', receivedAt, timeZone })).toMatchObject({ dueAt, dueDate })
  })

  it.each([
    ['2024-01-10T08:00:00Z', 31],
    ['2024-02-09T22:59:59Z', 1],
    ['2024-02-09T23:00:00Z', 0],
    ['2024-02-10T22:59:59.999Z', 0],
    ['2024-02-10T23:00:00Z', -1],
    ['2024-03-10T12:00:00Z', -29],
  ])('at %s in Berlin there are %i days left', (now, days) => {
    const found = deadline({ timeframe: 'gdpr', receivedAt: '2024-01-10T08:00:00Z', timeZone: 'Europe/Berlin' })
    expect(found.daysLeft(new Date(now))).toBe(days)
  })

  it('refuses an unknown time zone', () => {
    expect(() => deadline({ timeframe: 1, receivedAt: '2024-01-01T00:00:00Z', timeZone: 'Europe/Atlantis' })).toThrow(
      expect.objectContaining({ code: 'misconfigured', details: { option: 'timeZone' } }),
    )
  })
})

describe('extend', () => {
  const facts: DeadlineFacts = {
    timeframe: 'gdpr',
    receivedAt: '2024-01-31T08:00:00Z',
    timeZone: 'America/New_York',
  }
  const reason = 'The request concerns twelve systems.'
  const thrown = (given: DeadlineFacts, at: string, why = reason): unknown => {
    try {
      return extend(given, { at: new Date(at), reason: why })
    } catch (error) {
      return error
    }
  }

  it('gives the event that extends the deadline, until the last millisecond of the due date', () => {
    const event = extend(facts, { at: new Date('2024-03-01T04:59:59.999Z'), reason })
    expect(event).toEqual({ type: 'extended', at: '2024-03-01T04:59:59.999Z', reason })
    expect(deadline({ ...facts, events: [event] })).toMatchObject({ dueDate: '2024-04-30', extended: true })
  })

  it.each<[string, DeadlineFacts, string, string, object, string]>([
    ['a millisecond late', facts, '2024-03-01T05:00:00Z', 'invalid_state', { status: 'overdue' }, '2024-02-29'],
    [
      'twice',
      { ...facts, events: [extension] },
      '2024-02-01T00:00:00Z',
      'invalid_state',
      { status: 'extended' },
      'once',
    ],
    ['days', { ...facts, timeframe: 30 }, '2024-02-01T00:00:00Z', 'unsupported', { feature: 'extension' }, 'days'],
    ['LGPD', { ...facts, timeframe: 'lgpd' }, '2024-02-01T00:00:00Z', 'unsupported', { feature: 'extension' }, 'lgpd'],
  ])('refuses: %s', (_, given, at, code, details, words) => {
    const error = thrown(given, at)
    expect(error).toMatchObject({ code, details, message: expect.stringContaining(words) })
  })

  it('refuses a blank reason and names it', () => {
    const error = thrown(facts, '2024-02-01T00:00:00Z', ' \n')
    expect(isPrivacyError(error, 'invalid_input') && error.details.issues[0]?.loc).toEqual(['reason'])
  })

  it('is possible later in the UK where the identity was proven later', () => {
    const uk: DeadlineFacts = { ...facts, timeframe: 'uk_gdpr', events: [proof('2024-02-05T12:00:00Z')] }
    expect(thrown(uk, '2024-03-05T12:00:00Z')).toMatchObject({ type: 'extended' })
    expect(thrown({ ...facts, events: uk.events ?? [] }, '2024-03-05T12:00:00Z')).toMatchObject({
      code: 'invalid_state',
    })
  })
})

describe('every deadline', () => {
  // This is after the last day that a zone left out of its calendar.
  const instants = fc.integer({ min: Date.parse('2012-02-01'), max: Date.parse('2090-01-01') })
  const zones = fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone'))
  const timeframes = fc.oneof(
    fc.integer({ min: 1, max: 400 }),
    fc.constantFrom<Timeframe[]>('gdpr', 'uk_gdpr', 'ccpa', 'lgpd'),
  )
  const due = (timeframe: Timeframe, received: number, timeZone: string, events: DeadlineEvent[] = []) =>
    deadline({ timeframe, receivedAt: new Date(received).toISOString(), timeZone, events })

  it('is never earlier for a later request', () => {
    fc.assert(
      fc.property(timeframes, instants, fc.nat(90 * 86_400_000), zones, (timeframe, received, later, zone) => {
        const [first, second] = [due(timeframe, received, zone), due(timeframe, received + later, zone)]
        expect(Date.parse(second.dueAt)).toBeGreaterThanOrEqual(Date.parse(first.dueAt))
      }),
    )
  })

  it('lies after the receipt, on its due date, and is over a millisecond later', () => {
    fc.assert(
      fc.property(timeframes, instants, zones, (timeframe, received, zone) => {
        const found = due(timeframe, received, zone)
        const at = Date.parse(found.dueAt)
        expect(at).toBeGreaterThan(received)
        expect(found.daysLeft(new Date(received))).toBeGreaterThanOrEqual(1)
        expect(found.daysLeft(new Date(at))).toBe(0)
        expect(found.daysLeft(new Date(at + 1))).toBeLessThan(0)
        expect(new Date(at).toLocaleDateString('en-CA', { timeZone: zone })).toBe(found.dueDate)
      }),
    )
  })

  it('of a calendar month keeps the date, or is the last day of the next month', () => {
    fc.assert(
      fc.property(fc.constantFrom<Timeframe>('gdpr', 'uk_gdpr'), instants, (timeframe, received) => {
        const from = new Date(received)
        const to = new Date(due(timeframe, received, 'UTC').dueAt)
        const months = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth()
        expect(months(to) - months(from)).toBe(1)
        const isLastDay = new Date(to.getTime() + 1).getUTCDate() === 1
        expect(to.getUTCDate() === from.getUTCDate() || (isLastDay && to.getUTCDate() < from.getUTCDate())).toBe(true)
      }),
    )
  })

  it('is longer when extended, wherever that is possible, and no proof of identity shortens it', () => {
    fc.assert(
      fc.property(timeframes, instants, zones, fc.nat(40 * 86_400_000), (timeframe, received, zone, wait) => {
        const plain = Date.parse(due(timeframe, received, zone).dueAt)
        const extended = Date.parse(due(timeframe, received, zone, [extension]).dueAt)
        const knowsExtension = timeframe === 'gdpr' || timeframe === 'uk_gdpr' || timeframe === 'ccpa'
        expect(extended > plain).toBe(knowsExtension)
        const proven = Date.parse(
          due(timeframe, received, zone, [proof(new Date(received + wait).toISOString())]).dueAt,
        )
        expect(proven).toBeGreaterThanOrEqual(plain)
        if (timeframe !== 'uk_gdpr') expect(proven).toBe(plain)
      }),
    )
  })
})
