import { describe, expect, it } from 'vitest'
import { requestStatuses } from '../../model/privacy-request.js'
import {
  auditAction,
  isEnd,
  nextStatus,
  nextStep,
  type RequestEvent,
  readyStatuses,
  requestEvents,
  type WaitingFor,
} from './request-lifecycle.js'

/** The documented table once more: each line has a status, an event and the next status. */
const moves: Record<string, string> = {
  'identity_unverified verify': 'pending',
  'pending approve': 'approved',
  'pending deny': 'denied',
  'pending run': 'in_processing',
  'approved run': 'in_processing',
  'pending needInput': 'requires_input',
  'approved needInput': 'requires_input',
  'in_processing needInput': 'requires_input',
  'in_processing pause': 'paused',
  'requires_input resume': 'in_processing',
  'paused resume': 'in_processing',
  'paused expire': 'error',
  'approved replan': 'pending',
  'in_processing replan': 'pending',
  'in_processing complete': 'complete',
  'in_processing fail': 'error',
  'error retry': 'in_processing',
  'identity_unverified cancel': 'canceled',
  'pending cancel': 'canceled',
  'approved cancel': 'canceled',
  'in_processing cancel': 'canceled',
  'requires_input cancel': 'canceled',
  'paused cancel': 'canceled',
  'error cancel': 'canceled',
}

describe('every status and every event', () => {
  it.each(requestStatuses.flatMap((status) => requestEvents.map((event) => [status, event] as const)))(
    '%s, %s',
    (status, event) => {
      expect(nextStatus(status, event)).toBe(moves[`${status} ${event}`])
    },
  )

  it('names no status or event that does not exist', () => {
    const known = requestStatuses.flatMap((status) => requestEvents.map((event) => `${status} ${event}`))
    expect(Object.keys(moves).filter((move) => !known.includes(move))).toEqual([])
  })
})

it('allows no event after the end', () => {
  const ended = requestStatuses.filter((status) => requestEvents.every((event) => !nextStatus(status, event)))
  expect(ended).toEqual(['denied', 'complete', 'canceled'])
  expect(requestStatuses.filter(isEnd)).toEqual(ended)
})

/** The event of each call that `nextStep` may name. */
const events: Readonly<Record<string, RequestEvent>> = {
  ...{ verify: 'verify', approve: 'approve', deny: 'deny', retry: 'retry', cancel: 'cancel' },
  ...{ accept: 'resume', resume: 'resume', manualInput: 'resume', confirmErasure: 'resume' },
  ...{ resumeFromRequiresInput: 'resume', 'holds.release': 'resume' },
}

const asks = (step: 'access' | 'erasure', more: object = {}) => ({
  actionRequired: { step, collection: null, actionNeeded: null, ...more },
})

it.each<[WaitingFor, string[]]>([
  [{ status: 'identity_unverified' }, ['verify', 'cancel']],
  [{ status: 'pending' }, ['approve', 'deny', 'cancel']],
  [{ status: 'approved' }, ['cancel']],
  [{ status: 'denied' }, []],
  [{ status: 'in_processing' }, ['cancel']],
  [{ status: 'requires_input' }, ['resumeFromRequiresInput', 'cancel']],
  [{ status: 'paused' }, ['resume', 'cancel']],
  [{ status: 'paused', ...asks('erasure', { accept: {} }) }, ['accept', 'cancel']],
  [{ status: 'paused', ...asks('erasure') }, ['confirmErasure', 'cancel']],
  [{ status: 'paused', ...asks('access') }, ['manualInput', 'cancel']],
  [{ status: 'paused', legalHolds: ['hold_1'] }, ['holds.release', 'cancel']],
  [{ status: 'complete' }, []],
  [{ status: 'error' }, ['retry', 'cancel']],
  [{ status: 'canceled' }, []],
])('says of %o what can be called, and that can be', (request, calls) => {
  const named = [...nextStep(request).matchAll(/`([\w.]+)`/g)].map(([, name]) => name as string)
  expect(named.filter((name) => name !== 'actionRequired')).toEqual(calls)
  for (const call of calls) expect(nextStatus(request.status, events[call] as RequestEvent)).toBeDefined()
})

it('has its own word for each event', () => {
  expect(new Set(requestEvents.map(auditAction)).size).toBe(requestEvents.length)
})

it('lets a request run that waits for nobody', () => {
  expect(readyStatuses(false)).toEqual(['approved', 'pending'])
  expect(readyStatuses(true)).toEqual(['approved'])
  for (const status of readyStatuses(false)) expect(nextStatus(status, 'run')).toBe('in_processing')
})
