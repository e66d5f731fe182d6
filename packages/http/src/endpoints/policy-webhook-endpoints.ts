import type { WebhookPhase } from '@habeas/core'
import { endpoint } from '../endpoint.js'
import { paging } from '../parameters.js'
import { listOf, pageOf } from '../schema.js'
import {
  patchedPolicyWebhookRecord,
  patchedToWire,
  policyWebhookPatchInput,
  policyWebhookRecord,
  policyWebhooksInput,
} from '../wire/policy-webhook-record.js'

const when: Readonly<Record<WebhookPhase, string>> = {
  pre_execution: 'before a run',
  post_execution: 'after a run',
}

const list = (phase: WebhookPhase) =>
  endpoint({
    summary: `List the webhooks that are called ${when[phase]}, in order`,
    access: ['webhook:read'],
    query: paging,
    result: pageOf(policyWebhookRecord),
    action: ({ privacy, path, query }) => privacy.policyWebhooks.list(path.policy_key, phase, query),
  })

const put = (phase: WebhookPhase) =>
  endpoint({
    summary: `Replace the webhooks that are called ${when[phase]}`,
    access: ['webhook:create_or_update'],
    body: { schema: policyWebhooksInput, what: 'list of webhooks' },
    result: listOf(policyWebhookRecord),
    action: async ({ privacy, path, input }) => [...(await privacy.policyWebhooks.put(path.policy_key, phase, input))],
  })

const get = (phase: WebhookPhase) =>
  endpoint({
    summary: `Read a webhook that is called ${when[phase]}`,
    access: ['webhook:read'],
    result: policyWebhookRecord,
    action: ({ privacy, path }) => privacy.policyWebhooks.get(path.policy_key, phase, path.webhook_key),
  })

const patch = (phase: WebhookPhase) =>
  endpoint({
    summary: `Change or move a webhook that is called ${when[phase]}`,
    access: ['webhook:create_or_update'],
    body: { schema: policyWebhookPatchInput, what: 'webhook' },
    result: patchedPolicyWebhookRecord,
    action: async ({ privacy, path, input }) =>
      patchedToWire(await privacy.policyWebhooks.patch(path.policy_key, phase, path.webhook_key, input)),
  })

const remove = (phase: WebhookPhase) =>
  endpoint({
    summary: `Remove a webhook that is called ${when[phase]}`,
    access: ['webhook:delete'],
    action: ({ privacy, path }) => privacy.policyWebhooks.remove(path.policy_key, phase, path.webhook_key),
  })

/** Webhooks that the runs of a policy call. */
export const policyWebhookEndpoints = {
  'GET /api/v1/policy/{policy_key}/webhook/pre_execution': list('pre_execution'),
  'PUT /api/v1/policy/{policy_key}/webhook/pre_execution': put('pre_execution'),
  'GET /api/v1/policy/{policy_key}/webhook/pre_execution/{webhook_key}': get('pre_execution'),
  'PATCH /api/v1/policy/{policy_key}/webhook/pre_execution/{webhook_key}': patch('pre_execution'),
  'DELETE /api/v1/policy/{policy_key}/webhook/pre_execution/{webhook_key}': remove('pre_execution'),
  'GET /api/v1/policy/{policy_key}/webhook/post_execution': list('post_execution'),
  'PUT /api/v1/policy/{policy_key}/webhook/post_execution': put('post_execution'),
  'GET /api/v1/policy/{policy_key}/webhook/post_execution/{webhook_key}': get('post_execution'),
  'PATCH /api/v1/policy/{policy_key}/webhook/post_execution/{webhook_key}': patch('post_execution'),
  'DELETE /api/v1/policy/{policy_key}/webhook/post_execution/{webhook_key}': remove('post_execution'),
}
