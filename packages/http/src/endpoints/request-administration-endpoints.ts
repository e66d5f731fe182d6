import { isPlainObject, parseInput, schemas } from '@habeas/core'
import * as z from 'zod'
import { endpoint } from '../endpoint.js'
import { bulkOf, namedSchema, sentJsonSchema } from '../schema.js'
import {
  acceptanceNames,
  acceptanceOf,
  acceptanceShape,
  accepts,
  type SentAcceptance,
} from '../wire/acceptance-shape.js'
import { reviewRecord, reviewToWire } from '../wire/preview-record.js'
import { requestRecord, requestToWire } from '../wire/request-record.js'
import { accepting, administrate, requestIdsInput } from './administrate.js'

const extensionInput = namedSchema<{ reason: string }>('DeadlineExtension', () => ({
  type: 'object',
  properties: { reason: { type: 'string', maxLength: 1_000 } },
  required: ['reason'],
}))

const retryInput = namedSchema<SentAcceptance | undefined>('PrivacyRequestAcceptance', () =>
  sentJsonSchema(z.strictObject(acceptanceShape)),
)

const administrated = bulkOf(requestRecord)

/** How people decide about requests, and how requests start again. */
export const requestAdministrationEndpoints = {
  'GET /api/v1/privacy-request/{privacy_request_id}/review': endpoint({
    summary: 'Look at what a privacy request would do once approved, and at what nobody has checked of its identities',
    access: ['privacy-request:review'],
    result: reviewRecord,
    action: async ({ privacy, path, http: { signal } }) =>
      reviewToWire(await privacy.requests.review(path.privacy_request_id, { signal })),
  }),

  'PATCH /api/v1/privacy-request/administrate/approve': endpoint({
    summary: 'Approve privacy requests; with the hash of the plan that was looked at, one request',
    access: ['privacy-request:review'],
    body: { schema: requestIdsInput('PrivacyRequestApproval', 'plan_hash', ...accepting) },
    result: administrated,
    action: (call) =>
      administrate(call, ['plan_hash', ...accepting], (id, { plan_hash: planHash, ...said }) =>
        call.privacy.requests.approve(id, {
          ...call.by,
          ...(planHash !== undefined && { planHash }),
          ...acceptanceOf(said),
        }),
      ),
  }),

  'PATCH /api/v1/privacy-request/administrate/deny': endpoint({
    summary: 'Deny privacy requests, with a reason that is told to the person',
    access: ['privacy-request:review'],
    body: { schema: requestIdsInput('PrivacyRequestDenial', 'reason') },
    result: administrated,
    action: (call) =>
      administrate(call, ['reason'], (id, { reason }) =>
        call.privacy.requests.deny(id, { ...call.by, ...(reason !== undefined && { reason }) }),
      ),
  }),

  'PATCH /api/v1/privacy-request/administrate/cancel': endpoint({
    summary:
      'Cancel privacy requests; one that is erasing takes back the batch that is being written and ends in error',
    access: ['privacy-request:review'],
    body: { schema: requestIdsInput('PrivacyRequestCancellation', 'reason') },
    result: administrated,
    action: (call) =>
      administrate(call, ['reason'], (id, { reason }) =>
        call.privacy.requests.cancel(id, { ...call.by, ...(reason !== undefined && { reason }) }),
      ),
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/extend': endpoint({
    summary: 'Extend the deadline of a privacy request, with a reason that is told to the person',
    access: ['privacy-request:review'],
    body: { schema: extensionInput, what: 'extension' },
    result: requestRecord,
    async action({ privacy, path, input, by }) {
      const { reason } = (isPlainObject(input) ? input : {}) as { reason: string }
      return requestToWire(await privacy.requests.extendDeadline(path.privacy_request_id, { reason, ...by }))
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/retry': endpoint({
    summary: 'Run a failed privacy request again from where it failed',
    access: ['privacy-request:resume'],
    body: { schema: retryInput, optional: true, what: 'acceptance', names: acceptanceNames },
    result: requestRecord,
    async action({ privacy, path, body, input = {}, by, need }) {
      if (accepts(body)) need('privacy-request:review')
      const { value } = parseInput('acceptance', schemas.acceptance, input, { readOnly: [] })
      return requestToWire(await privacy.requests.retry(path.privacy_request_id, { ...value, ...by }))
    },
  }),

  'POST /api/v1/privacy-request/bulk/retry': endpoint({
    summary: 'Run several failed privacy requests again',
    access: ['privacy-request:resume'],
    body: { schema: requestIdsInput('PrivacyRequestRetries', ...accepting) },
    result: administrated,
    action(call) {
      if (accepts(call.body)) call.need('privacy-request:review')
      return administrate(call, accepting, (id, said) =>
        call.privacy.requests.retry(id, { ...call.by, ...acceptanceOf(said) }),
      )
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/run': endpoint({
    summary: 'Run a privacy request that waits, where requests do not run by themselves',
    access: ['privacy-request:resume'],
    result: requestRecord,
    async action({ privacy, path }) {
      const id = path.privacy_request_id
      await privacy.requests.run(id)
      return requestToWire(await privacy.requests.get(id))
    },
  }),
}
