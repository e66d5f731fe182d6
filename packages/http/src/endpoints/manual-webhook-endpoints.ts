import * as z from 'zod'
import { withBody } from '../body-input.js'
import { type EndpointCall, endpoint } from '../endpoint.js'
import { listOf, namedSchema, zodSchema } from '../schema.js'
import {
  manualWebhookFromWire,
  manualWebhookInput,
  manualWebhookRecord,
  manualWebhookToWire,
  writtenManualWebhookRecord,
  writtenManualWebhookToWire,
} from '../wire/manual-webhook-record.js'
import { requestRecord, requestToWire } from '../wire/request-record.js'

type Values = Readonly<Record<string, unknown>>

const values: z.ZodType<Values> = z.record(z.string(), z.unknown())
const uploadInput = namedSchema<Values>('ManualData', () => ({
  type: 'object',
  description: 'By label, a scalar or a list of them. {} says that the system was searched and holds nothing.',
  additionalProperties: {
    anyOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
    ],
  },
}))
const uploadRecord = zodSchema(z.object({ checked: z.boolean(), fields: values }), { name: 'ManualDataState' })

function write({ body, path, privacy }: EndpointCall, mode: 'create' | 'patch') {
  const input = manualWebhookFromWire(body)
  return withBody('manual webhook', input, async (definition) =>
    writtenManualWebhookToWire(await privacy.manualWebhooks[mode](path.connection_key, definition), input),
  )
}

const upload = endpoint({
  summary: 'Upload what a person found for a manual webhook',
  access: ['privacy-request:upload_data'],
  body: { schema: uploadInput, what: 'upload' },
  result: zodSchema(z.null()),
  async action({ privacy, path, input, by }) {
    await privacy.requests.uploadManualData(path.privacy_request_id, path.manual_webhook_key, input, by)
    return null
  },
})

const uploaded = endpoint({
  summary: 'Read what was uploaded for a manual webhook',
  access: ['privacy-request:view_data'],
  result: uploadRecord,
  action: ({ privacy, path }) => privacy.requests.manualData(path.privacy_request_id, path.manual_webhook_key),
})

const resume = endpoint({
  summary: 'Let a privacy request go on once everything is uploaded that it waits for',
  access: ['privacy-request:resume'],
  result: requestRecord,
  action: async ({ privacy, path, by }) =>
    requestToWire(await privacy.requests.resumeFromRequiresInput(path.privacy_request_id, by)),
})

/** What people look up for requests. The specification documents three paths without the prefix: both are served. */
export const manualWebhookEndpoints = {
  'POST /api/v1/connection/{connection_key}/access_manual_webhook': endpoint({
    summary: 'Define what people look up for access requests',
    access: ['webhook:create_or_update'],
    body: { schema: manualWebhookInput },
    status: 201,
    result: writtenManualWebhookRecord,
    action: (call) => write(call, 'create'),
  }),

  'PATCH /api/v1/connection/{connection_key}/access_manual_webhook': endpoint({
    summary: 'Define, or define anew, what people look up for access requests',
    access: ['webhook:create_or_update'],
    body: { schema: manualWebhookInput },
    result: writtenManualWebhookRecord,
    action: (call) => write(call, 'patch'),
  }),

  'GET /api/v1/connection/{connection_key}/access_manual_webhook': endpoint({
    summary: 'Read what people look up for access requests',
    access: ['webhook:read'],
    result: manualWebhookRecord,
    action: async ({ privacy, path }) => manualWebhookToWire(await privacy.manualWebhooks.get(path.connection_key)),
  }),

  'DELETE /api/v1/connection/{connection_key}/access_manual_webhook': endpoint({
    summary: 'Delete the definition; requests that waited for nothing else go on',
    access: ['webhook:delete'],
    action: ({ privacy, path }) => privacy.manualWebhooks.remove(path.connection_key),
  }),

  'GET /api/v1/access_manual_webhook': endpoint({
    summary: 'List the manual webhooks that are asked for',
    access: ['webhook:read'],
    result: listOf(manualWebhookRecord),
    action: async ({ privacy }) => (await privacy.manualWebhooks.list()).map(manualWebhookToWire),
  }),

  'PATCH /api/v1/privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': upload,
  'PATCH /privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': upload,
  'GET /api/v1/privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': uploaded,
  'GET /privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': uploaded,
  'POST /api/v1/privacy-request/{privacy_request_id}/resume_from_requires_input': resume,
  'POST /privacy-request/{privacy_request_id}/resume_from_requires_input': resume,
}
