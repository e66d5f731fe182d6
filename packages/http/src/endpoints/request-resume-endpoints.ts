import * as z from 'zod'
import { bearerToken } from '../bearer-token.js'
import { fromWire, withBody } from '../body-input.js'
import { endpoint } from '../endpoint.js'
import { listOf, namedSchema, sentJsonSchema } from '../schema.js'
import { acceptanceNames, acceptanceShape, accepts, type SentAcceptance } from '../wire/acceptance-shape.js'
import { requestRecord, requestToWire } from '../wire/request-record.js'

const names = { derived_identity: 'derivedIdentity' } as const

/** What may come with the resume of a halted request, or of one that waits for a decision. */
export interface ResumeInput extends SentAcceptance {
  derived_identity?: Readonly<Record<string, string | number | boolean | null>> | null
}

const resumeInput = namedSchema<ResumeInput | undefined>('PrivacyRequestResume', () => ({
  type: 'object',
  properties: {
    derived_identity: {
      type: ['object', 'null'],
      description: 'With a reply token: properties that are added to each identity of the request.',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    },
    ...(sentJsonSchema(z.strictObject(acceptanceShape))['properties'] as object),
  },
}))

const rowsInput = listOf(namedSchema<Readonly<Record<string, unknown>>>('ManualRow', () => ({ type: 'object' })))
const countNames = { row_count: 'rowCount' } as const
const countInput = namedSchema<{ row_count: number }>('ErasureConfirmation', () => ({
  type: 'object',
  properties: { row_count: { type: 'integer', minimum: 0 } },
  required: ['row_count'],
}))

/** Endpoints by which waiting requests go on. */
export const requestResumeEndpoints = {
  'POST /api/v1/privacy-request/{privacy_request_id}/resume': endpoint({
    summary:
      'Let a privacy request go on: with its reply token one that a policy webhook has halted, with an access token one that waits for a decision',
    access: { scopes: ['privacy-request:review'], orElse: 'reply token' },
    body: { schema: resumeInput, optional: true },
    result: requestRecord,
    async action({ privacy, path, body = {}, http, caller, by, need }) {
      const id = path.privacy_request_id
      if (caller) {
        const input = fromWire(body, acceptanceNames)
        return requestToWire(await withBody('acceptance', input, (said) => privacy.requests.accept(id, said, by)))
      }
      if (accepts(body)) need('privacy-request:review')
      const token = bearerToken(http, 'either')
      const input = fromWire(body, names)
      return requestToWire(await withBody('resume', input, (said) => privacy.requests.resume(id, token, said)))
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/manual_input': endpoint({
    summary: 'Give the rows that a person has looked up for a manual collection; an empty list where there are none',
    access: ['privacy-request:resume'],
    body: { schema: rowsInput, what: 'list of rows' },
    result: requestRecord,
    action: async ({ privacy, path, input, by }) =>
      requestToWire(await privacy.requests.manualInput(path.privacy_request_id, input, by)),
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/erasure_confirm': endpoint({
    summary:
      'Confirm that no row of a manual collection is left that was to be erased, and how many a person has erased',
    access: ['privacy-request:resume'],
    body: { schema: countInput, what: 'confirmation', names: countNames },
    result: requestRecord,
    action: async ({ privacy, path, input, by }) =>
      requestToWire(await privacy.requests.confirmErasure(path.privacy_request_id, input, by)),
  }),
}
