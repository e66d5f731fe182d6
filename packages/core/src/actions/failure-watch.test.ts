import { expect, it } from 'vitest'
import type { PrivacyEvent } from '../model/privacy-event.js'
import { failureWatch } from './failure-watch.js'

it('failures of many requests do not hide what the service itself fails at', async () => {
  const told: PrivacyEvent[] = []
  const { failed, watch, failing } = failureWatch((event) => told.push(event), { now: () => new Date() })
  const hints = { part: 'queue', doing: 'send hints' } as const
  const fail = async () => {
    throw new Error('It is away.')
  }
  await watch(hints, fail)
  for (let id = 0; id < 2_500; id++)
    failed({ part: 'blobs', doing: 'remove what a run has left', requestId: `${id}` }, new Error('It is away.'))
  expect(failing()).toEqual([hints])
  await watch(hints, async () => {})
  expect(failing()).toEqual([])
  expect(told.flatMap((event) => ('part' in event && event.part === 'queue' ? event.status : []))).toEqual([
    'failing',
    'working',
  ])
})
