import type { EndpointTable } from '@habeas/http'
import type { Sample } from './samples.js'
import { type AttackedWorld, mailedCode, planted } from './world.js'

export const requestPath = (status: keyof AttackedWorld['requests']) => ({
  path: { privacy_request_id: ({ requests }: AttackedWorld) => requests[status] },
})

const page = 'page=1&size=2'
const hooks = { path: { policy_key: 'hooked' } }
const hook = { path: { ...hooks.path, webhook_key: 'gate' } }
const hookBody = {
  key: 'fresh',
  name: 'Fresh',
  direction: 'two_way',
  url: 'https://hooks.example.com/fresh',
  secret: 'a secret of a webhook',
}
const { key: _, ...hookPatch } = hookBody
const paper = { path: { connection_key: 'paper' } }
const definition = { fields: [{ pii_field: 'Full name', dsr_package_label: 'full_name' }] }
const waiting = { path: { ...requestPath('waiting').path, manual_webhook_key: 'paper' } }
const upload = { ...waiting, body: { full_name: 'Ada', 'Phone numbers': ['1', 2, true, null] }, strict: true } as const
const held = { path: { legal_hold_id: ({ hold }: AttackedWorld) => hold } }
const evaluation = { path: { evaluation_id: ({ evaluation }: AttackedWorld) => evaluation } }
const ids = { body: { request_ids: [] }, required: ['request_ids'], ids: true, strict: true } as const

/** What people decide, look up and add between the submission of a request and its end, and what policies are evaluated to. */
export const lifeSamples = {
  'GET /api/v1/policy/{policy_key}/webhook/pre_execution': { ...hooks, query: page },
  'PUT /api/v1/policy/{policy_key}/webhook/pre_execution': { ...hooks, body: [hookBody], strict: true },
  'GET /api/v1/policy/{policy_key}/webhook/pre_execution/{webhook_key}': hook,
  'PATCH /api/v1/policy/{policy_key}/webhook/pre_execution/{webhook_key}': {
    ...hook,
    body: { ...hookPatch, order: 0 },
    strict: true,
  },
  'DELETE /api/v1/policy/{policy_key}/webhook/pre_execution/{webhook_key}': hook,
  'GET /api/v1/policy/{policy_key}/webhook/post_execution': { ...hooks, query: page },
  'PUT /api/v1/policy/{policy_key}/webhook/post_execution': { ...hooks, body: [hookBody], strict: true },
  'GET /api/v1/policy/{policy_key}/webhook/post_execution/{webhook_key}': hook,
  'PATCH /api/v1/policy/{policy_key}/webhook/post_execution/{webhook_key}': { ...hook, body: hookPatch, strict: true },
  'DELETE /api/v1/policy/{policy_key}/webhook/post_execution/{webhook_key}': hook,

  'POST /api/v1/connection/{connection_key}/access_manual_webhook': {
    path: { connection_key: 'drawer' },
    body: definition,
    required: ['fields'],
  },
  'PATCH /api/v1/connection/{connection_key}/access_manual_webhook': {
    ...paper,
    body: definition,
    required: ['fields'],
  },
  'GET /api/v1/connection/{connection_key}/access_manual_webhook': paper,
  'DELETE /api/v1/connection/{connection_key}/access_manual_webhook': paper,
  'GET /api/v1/access_manual_webhook': {},
  'PATCH /api/v1/privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': upload,
  'PATCH /privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': upload,
  'GET /api/v1/privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': waiting,
  'GET /privacy-request/{privacy_request_id}/access_manual_webhook/{manual_webhook_key}': waiting,
  'POST /api/v1/privacy-request/{privacy_request_id}/resume_from_requires_input': requestPath('waiting'),
  'POST /privacy-request/{privacy_request_id}/resume_from_requires_input': requestPath('waiting'),
  'POST /api/v1/privacy-request/{privacy_request_id}/resume': {
    ...requestPath('paused'),
    body: { derived_identity: { user_id: 7, phone_number: '1' } },
    bearer: ({ replyToken }: AttackedWorld) => replyToken,
    optional: true,
  },

  'POST /api/v1/privacy-request/{privacy_request_id}/verify': {
    ...requestPath('unverified'),
    body: { code: mailedCode },
    required: ['code'],
  },
  // A code was mailed a moment ago.
  'POST /api/v1/privacy-request/{privacy_request_id}/resend': { ...requestPath('unverified'), refused: 429 },

  'POST /api/v1/privacy-request/{privacy_request_id}/manual_input': {
    ...requestPath('asked'),
    body: [{ email: planted.identity, subject: 'a letter' }],
    strict: true,
  },
  // No request waits for it in this version.
  'POST /api/v1/privacy-request/{privacy_request_id}/erasure_confirm': {
    ...requestPath('asked'),
    body: { row_count: 1 },
    required: ['row_count'],
    refused: 409,
  },

  'POST /api/v1/privacy-request/{privacy_request_id}/extend': {
    ...requestPath('timed'),
    body: { reason: 'many systems' },
    required: ['reason'],
  },
  'POST /api/v1/privacy-request/{privacy_request_id}/download-link': {
    ...requestPath('complete'),
    query: 'rule=default_access_policy_rule',
  },
  'GET /api/v1/privacy-request/{privacy_request_id}/audit': { ...requestPath('failed'), query: page },
  'GET /api/v1/privacy-request/{privacy_request_id}/receipt': { ...requestPath('complete'), query: 'format=json' },
  'GET /api/v1/privacy-request/{privacy_request_id}/evidence': requestPath('failed'),
  'GET /api/v1/privacy-request/{privacy_request_id}/review': requestPath('pending'),
  'POST /api/v1/policy/{policy_key}/evaluate': {
    path: { policy_key: 'spare' },
    body: { systems: ['spare'], registries: ['spare'] },
    optional: true,
    strict: true,
  },
  'GET /api/v1/evaluation': { query: `policy_key=spare&status=PASS&${page}` },
  'GET /api/v1/evaluation/{evaluation_id}': evaluation,
  'DELETE /api/v1/evaluation/{evaluation_id}': evaluation,
  'POST /api/v1/legal-hold': {
    body: { identities: [{ email: planted.identity }], reason: 'a case', reference: '7', until: '2999-01-01' },
    required: ['identities', 'reason'],
    strict: 'root',
  },
  'GET /api/v1/legal-hold': { query: `status=active&${page}` },
  'GET /api/v1/legal-hold/{legal_hold_id}': { ...held, query: 'include_identities=false' },
  'POST /api/v1/legal-hold/{legal_hold_id}/release': {
    ...held,
    body: { reason: 'over' },
    optional: true,
    strict: true,
  },
  'PATCH /api/v1/privacy-request/administrate/approve': {
    ...ids,
    body: { ...ids.body, accept_unsearched: true, accept_unconfirmed: ['phone_number'] },
  },
  'PATCH /api/v1/privacy-request/administrate/deny': { ...ids, body: { ...ids.body, reason: 'somebody else' } },
} as const satisfies Partial<Record<keyof EndpointTable, Sample>>
