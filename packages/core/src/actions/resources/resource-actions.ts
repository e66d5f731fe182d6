import { defaultTaxonomy } from '../../model/default-taxonomy.js'
import { ancestors } from '../../model/is-covered.js'
import { readLegacyKeys } from '../../model/legacy-names.js'
import { defaultOrganization, parseOrganization } from '../../model/organization.js'
import { invalidInput, type Parsed } from '../../model/parse-input.js'
import { defaultPolicies, type Policy, parsePolicy } from '../../model/policy.js'
import { requestStatuses } from '../../model/privacy-request.js'
import { parseRegistry } from '../../model/registry.js'
import { parseSystem } from '../../model/system.js'
import {
  type DataCategory,
  parseDataCategory,
  parseDataQualifier,
  parseDataSubject,
  parseDataUse,
} from '../../model/taxonomy.js'
import type { ResourceRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { Finding } from '../../rules/findings/finding.js'
import {
  ownerLinks,
  policyLinks,
  systemLinks,
  type TaxonomyKind,
  taxonomyLinks,
} from '../../rules/findings/resource-links.js'
import type { ActionContext } from '../action-context.js'
import { evaluatedWrites } from '../evaluations/evaluated-writes.js'
import { removePolicyWebhooks } from '../webhooks/policy-webhooks.js'
import { documentResource } from './document-resource.js'
import { findReferrers, type Referrer } from './find-referrers.js'
import { parentLinks, refuseUnknownKeys } from './known-keys.js'
import type { ResourceTable } from './resources.js'

/** The resources of the data model, except datasets. Their defaults exist from the start and may be edited. */
export function resourceActions(context: ActionContext) {
  const { storage } = context
  const evaluated = evaluatedWrites(context)
  return {
    organizations: documentResource(context, {
      what: 'organization',
      table: (within) => within.table('organization'),
      read: parseOrganization,
      defaults: [defaultOrganization],
      links: (document) => ownerLinks('organization', document),
      referrers: (key) => findReferrers(storage, 'organization', key),
    }),
    registries: documentResource(context, {
      what: 'registry',
      table: (within) => within.table('registry'),
      read: parseRegistry,
      links: (document) => ownerLinks('registry', document),
      referrers: (key) => findReferrers(storage, 'registry', key),
    }),
    systems: documentResource(context, {
      what: 'system',
      table: (within) => within.table('system'),
      rename: (input) => readLegacyKeys(input, ['egress', 'ingress']),
      read: parseSystem,
      complete: async (document) => {
        await refuseUnknownKeys(context, 'system', () => systemLinks(document))
        await evaluated.refuse({ kind: 'system', document })
        return document
      },
      links: systemLinks,
      findings: (documents) => evaluated.findings(documents.map((document) => ({ kind: 'system', document }))),
      referrers: (key) => findReferrers(storage, 'system', key),
    }),
    policies: documentResource(context, {
      what: 'policy',
      table: (within) => within.table('policy'),
      rename: (input) => readLegacyKeys(input, ['rules']),
      read: async (input) => parsePolicy(input, await parentLinks(storage, 'dataCategory')),
      defaults: defaultPolicies,
      complete: async (document) => {
        await refuseUnknownKeys(context, 'policy', () => policyLinks(document))
        await evaluated.refuse({ kind: 'policy', document })
        return document
      },
      links: policyLinks,
      findings: async (documents) => {
        const violations = await evaluated.findings(documents.map((document) => ({ kind: 'policy', document })))
        return documents.map((document, at) => [...withoutRules(document), ...(violations[at] ?? [])])
      },
      referrers: (key) => openRequests(storage, key),
      removed: removePolicyWebhooks,
    }),
    dataCategories: taxonomyItems(context, {
      kind: 'dataCategory',
      what: 'data category',
      table: (within) => within.table('dataCategory'),
      read: parseDataCategory,
      defaults: defaultTaxonomy.dataCategories,
    }),
    dataUses: taxonomyItems(context, {
      kind: 'dataUse',
      what: 'data use',
      table: (within) => within.table('dataUse'),
      read: parseDataUse,
      defaults: defaultTaxonomy.dataUses,
    }),
    dataSubjects: taxonomyItems(context, {
      kind: 'dataSubject',
      what: 'data subject',
      table: (within) => within.table('dataSubject'),
      read: parseDataSubject,
      defaults: defaultTaxonomy.dataSubjects,
    }),
    dataQualifiers: taxonomyItems(context, {
      kind: 'dataQualifier',
      what: 'data qualifier',
      table: (within) => within.table('dataQualifier'),
      read: parseDataQualifier,
      defaults: defaultTaxonomy.dataQualifiers,
    }),
  }
}

const finalStatuses = ['complete', 'denied', 'canceled']
const openStatuses = requestStatuses.filter((status) => !finalStatuses.includes(status))

/** A request that has ended keeps the key of its policy as a record, and does not need the policy any more. */
async function openRequests(storage: Storage, key: string): Promise<Referrer[]> {
  const where = { policyKey: { equals: key }, status: { in: openStatuses } }
  return (await storage.table('privacyRequest').find({ where })).map(({ id }) => ({ what: 'privacy request', key: id }))
}

function withoutRules({ service_key: key, rules }: Policy): Finding[] {
  if (rules.length > 0) return []
  const message = `The policy '${key}' has no rules, so a request for it delivers nothing: add a rule.`
  return [{ type: 'policy_without_rules', severity: 'warning', loc: [key, 'rules'], message }]
}

interface TaxonomyDefinition<Item> {
  readonly kind: TaxonomyKind
  readonly what: string
  table(storage: Storage): ResourceTable<ResourceRow<Item>>
  read(input: unknown): Parsed<Item>
  readonly defaults: readonly Item[]
}

function taxonomyItems<Item extends DataCategory>(
  context: ActionContext,
  { kind, ...definition }: TaxonomyDefinition<Item>,
) {
  const { what, defaults } = definition
  const shipped = new Set(defaults.map((item) => item.service_key))
  return documentResource(context, {
    ...definition,
    /** An item below itself would cover everything on the circle. */
    async complete(item) {
      const { service_key: key, parent_key: parent } = item
      if (parent !== undefined && ancestors(parent, await parentLinks(context.storage, kind)).includes(key)) {
        const msg = `must not be '${parent}', which lies below '${key}'`
        throw invalidInput(what, [{ loc: ['parent_key'], msg, type: 'circle' }])
      }
      return { ...item, is_default: shipped.has(key) }
    },
    links: (item) => taxonomyLinks(kind, what, item),
    referrers: (key) => findReferrers(context.storage, kind, key),
  })
}
