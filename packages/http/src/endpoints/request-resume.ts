import { bearerToken } from '../bearer-token.js'
import { asSent, fromWire, withBody } from '../body-input.js'
import { endpoint } from '../endpoint.js'
import { listOf, namedSchema } from '../schema.js'
import { requestRecord, requestToWire } from '../wire/privacy-request.js'

const names = { derived_identity: 'derivedIdentity' } as const

/** What may come with the resume of a halted request. */
export interface ResumeInput {
  derived_identity?: Readonly<Record<string, string | number | boolean | null>> | null
}

const resumeInput = namedSchema<ResumeInput>('PrivacyRequestResume', () => ({
  type: 'object',
  properties: {
    derived_identity: {
      type: ['object', 'null'],
      description: 'Properties that are added to each identity of the request.',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    },
  },
}))

const rowsInput = listOf(namedSchema<Readonly<Record<string, unknown>>>('ManualRow', () => ({ type: 'object' })))
const countNames = { row_count: 'rowCount' } as const
const countInput = namedSchema<{ row_count: number }>('ErasureConfirmation', () => ({
  type: 'object',
  properties: { row_count: { type: 'integer', minimum: 0 } },
  required: ['row_count'],
}))

/** How requests go on that wait for somebody (decisions §4, §6). */
export const requestResumeEndpoints = {
  'POST /api/v1/privacy-request/{privacy_request_id}/resume': endpoint({
    summary: 'Let a privacy request go on that a policy webhook has halted',
    access: 'reply token',
    body: { schema: resumeInput, optional: true },
    result: requestRecord,
    async action({ privacy, path, body, http }) {
      const token = bearerToken(http, 'reply')
      const resume = (input: unknown) => privacy.requests.resume(path.privacy_request_id as string, token, input)
      return requestToWire(await withBody('resume', fromWire(body, names), ['body'], resume))
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/manual_input': endpoint({
    summary: 'Give the rows that a person has looked up for a manual collection; an empty list where there are none',
    access: ['privacy-request:resume'],
    body: { schema: rowsInput },
    result: requestRecord,
    action: ({ privacy, path, body, caller }) =>
      withBody('list of rows', asSent(body), ['body'], async (rows) => {
        const by = { caller: caller?.clientId }
        return requestToWire(await privacy.requests.manualInput(path.privacy_request_id as string, rows, by))
      }),
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/erasure_confirm': endpoint({
    summary:
      'Confirm that no row of a manual collection is left that was to be erased, and how many a person has erased',
    access: ['privacy-request:resume'],
    body: { schema: countInput },
    result: requestRecord,
    action: ({ privacy, path, body, caller }) =>
      withBody('confirmation', fromWire(body, countNames), ['body'], async (count) =>
        requestToWire(
          await privacy.requests.confirmErasure(path.privacy_request_id as string, count, { caller: caller?.clientId }),
        ),
      ),
  }),
}
