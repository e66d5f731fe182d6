import { defaultPolicies, type Policy, parsePolicy } from '../../model/policy.js'
import { requestStatuses } from '../../model/privacy-request.js'
import type { ResourceRow } from '../../ports/rows.js'
import type { Finding } from '../../rules/findings/finding.js'
import { policyLinks } from '../../rules/findings/resource-links.js'
import type { ActionContext } from '../action-context.js'
import { removePolicyWebhooks } from '../webhooks/policy-webhooks.js'
import type { Referrer } from './find-referrers.js'
import { linkFindings, parentLinks, refuseUnknownKeys } from './known-keys.js'
import { resources } from './resources.js'

const finalStatuses = ['complete', 'denied', 'canceled']
const openStatuses = requestStatuses.filter((status) => !finalStatuses.includes(status))

/**
 * The policies that privacy requests apply and evaluation checks. The two default policies exist from the start and may
 * be edited.
 */
export function policyActions(context: ActionContext) {
  /** A request that has ended keeps the key of its policy as a record, and does not need the policy any more. */
  async function openRequests(key: string): Promise<Referrer[]> {
    const requests = await context.storage
      .table('privacyRequest')
      .find({ where: { policyKey: { equals: key }, status: { in: openStatuses } } })
    return requests.map(({ id }) => ({ what: 'privacy request', key: id }))
  }

  const { create, put, replace, patch, get, list, remove } = resources<Policy, ResourceRow<Policy>, object>(context, {
    what: 'policy',
    table: (storage) => storage.table('policy'),
    rename: (input) => ({ input, warnings: [], locate: (loc) => loc }),
    read: async (input) => parsePolicy(input, await parentLinks(context.storage, 'dataCategory')),
    blank: {},
    extra: () => ({}),
    defaults: defaultPolicies,
    complete: async (document) => {
      await refuseUnknownKeys(context, 'policy', policyLinks(document))
      return document
    },
    notices: async ({ document }) => ({
      findings: [...withoutRules(document), ...(await linkFindings(context, policyLinks(document)))],
    }),
    referrers: openRequests,
    removed: removePolicyWebhooks,
  })
  return { create, put, replace, patch, get, list, remove }
}

function withoutRules({ service_key: key, rules }: Policy): Finding[] {
  if (rules.length > 0) return []
  const message = `The policy '${key}' has no rules, so a request for it delivers nothing: add a rule.`
  return [{ type: 'policy_without_rules', severity: 'warning', loc: [key, 'rules'], message }]
}
