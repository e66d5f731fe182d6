import { type DatasetNotices, type Finding, type PrivacyService, schemas, type UsedScope } from '@habeas/core'
import * as z from 'zod'
import { endpoint } from '../endpoint.js'
import { jsonSchema, zodSchema } from '../schema.js'
import { documentWire } from '../wire/document-wire.js'
import { findingSchema } from '../wire/finding-schema.js'
import { openReferencesSchema } from '../wire/open-references-schema.js'
import { resourceEndpoints } from './resource-endpoints.js'

type Stem = 'system' | 'organization' | 'registry' | 'data_category' | 'data_use' | 'data_subject' | 'data_qualifier'

const each = <const Type extends Stem>(type: Type) =>
  ({
    create: `${type}:create`,
    read: `${type}:read`,
    update: `${type}:update`,
    delete: `${type}:delete`,
  }) as const satisfies Record<string, UsedScope>

const together = <const Type extends 'dataset' | 'policy' | 'connection'>(type: Type) =>
  ({
    create: `${type}:create_or_update`,
    read: `${type}:read`,
    update: `${type}:create_or_update`,
    delete: `${type}:delete`,
  }) as const satisfies Record<string, UsedScope>

type Documents<Kind extends keyof PrivacyService> = PrivacyService[Kind] extends {
  put(input: unknown): Promise<infer Written>
}
  ? Omit<Written, 'created_at' | 'updated_at' | 'findings' | 'warnings' | 'open'>
  : never

const nullableText = { type: ['string', 'null'] }

export const datasetWire = documentWire<Documents<'datasets'>, DatasetNotices>(
  'Dataset',
  schemas.dataset,
  { connection_key: nullableText },
  { open: jsonSchema(openReferencesSchema, 'output') },
)
const isDefault = { is_default: { type: 'boolean' } }

/** The privacy data model: what there is, what processes it, and what it may be used for. */
export const dataModelEndpoints = {
  ...resourceEndpoints('dataset', {
    what: 'dataset',
    actions: ({ datasets }) => datasets,
    wire: datasetWire,
    scopes: together('dataset'),
    lists: false,
  }),
  'GET /api/v1/dataset/{service_key}/findings': endpoint({
    summary: 'What a person should know about a dataset',
    access: ['dataset:read'],
    result: zodSchema(z.object({ findings: z.array(findingSchema) }), { name: 'DatasetFindings' }),
    async action({ privacy, path }) {
      const findings = await privacy.datasets.findings(path.service_key)
      return { findings: findings.map((finding: Finding) => ({ ...finding, loc: [...finding.loc] })) }
    },
  }),
  ...resourceEndpoints('system', {
    what: 'system',
    actions: ({ systems }) => systems,
    wire: documentWire<Documents<'systems'>>('System', schemas.system),
    scopes: each('system'),
    lists: false,
  }),
  ...resourceEndpoints('policy', {
    what: 'policy',
    actions: ({ policies }) => policies,
    wire: documentWire<Documents<'policies'>>('Policy', schemas.policy),
    scopes: together('policy'),
    lists: true,
  }),
  ...resourceEndpoints('organization', {
    what: 'organization',
    actions: ({ organizations }) => organizations,
    wire: documentWire<Documents<'organizations'>>('Organization', schemas.organization),
    scopes: each('organization'),
    lists: false,
  }),
  ...resourceEndpoints('registry', {
    what: 'registry',
    actions: ({ registries }) => registries,
    wire: documentWire<Documents<'registries'>>('Registry', schemas.registry),
    scopes: each('registry'),
    lists: false,
  }),
  ...resourceEndpoints('data_category', {
    what: 'data category',
    actions: ({ dataCategories }) => dataCategories,
    wire: documentWire<Documents<'dataCategories'>>('DataCategory', schemas.dataCategory, isDefault),
    scopes: each('data_category'),
    lists: false,
  }),
  ...resourceEndpoints('data_use', {
    what: 'data use',
    actions: ({ dataUses }) => dataUses,
    wire: documentWire<Documents<'dataUses'>>('DataUse', schemas.dataUse, isDefault),
    scopes: each('data_use'),
    lists: false,
  }),
  ...resourceEndpoints('data_subject', {
    what: 'data subject',
    actions: ({ dataSubjects }) => dataSubjects,
    wire: documentWire<Documents<'dataSubjects'>>('DataSubject', schemas.dataSubject, isDefault),
    scopes: each('data_subject'),
    lists: false,
  }),
  ...resourceEndpoints('data_qualifier', {
    what: 'data qualifier',
    actions: ({ dataQualifiers }) => dataQualifiers,
    wire: documentWire<Documents<'dataQualifiers'>>('DataQualifier', schemas.dataQualifier, isDefault),
    scopes: each('data_qualifier'),
    lists: false,
  }),
}
