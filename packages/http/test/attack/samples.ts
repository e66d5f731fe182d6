import type { EndpointTable } from '@habeas/http'
import { lifeSamples, requestPath } from './life-samples.js'
import { type AttackedWorld, planted, root } from './world.js'

/** One call of an endpoint that is answered with success, and what its body is like. */
export interface Sample {
  readonly path?: Readonly<Record<string, string | ((world: AttackedWorld) => string)>>
  readonly query?: string
  readonly body?: unknown
  /** Members of the body without which it is refused. */
  readonly required?: readonly string[]
  /** True: the body may be a list of such bodies. */
  readonly list?: true
  /** True: a list of them is what the body is, at its root or under a name. */
  readonly ids?: true
  /** Unknown members are refused instead of ignored with a warning; `root`: inside of members any name is fine. */
  readonly strict?: true | 'root'
  readonly form?: true
  readonly manifest?: true
  /** The body may be left out. */
  readonly optional?: true
  /** What is sent instead of an access token. */
  readonly bearer?: (world: AttackedWorld) => string
  /** What stands in the way of a success, where the attacked service cannot give one. */
  readonly refused?: number
}

const spare = { path: { service_key: 'spare' } }
const connection = { path: { connection_key: 'warehouse' } }

type Documents<Type extends string> = Record<
  `${'GET' | 'POST' | 'PATCH'} /api/v1/${Type}` | `${'GET' | 'PUT' | 'DELETE'} /api/v1/${Type}/{service_key}`,
  Sample
>

function documents<const Type extends string>(type: Type, body: object, more: Partial<Sample> = {}): Documents<Type> {
  const { required = [], ...rest } = more
  const table: Record<string, Sample> = {
    [`GET /api/v1/${type}`]: { query: 'search=a&page=1&size=2' },
    [`POST /api/v1/${type}`]: {
      body: { service_key: 'fresh', ...body },
      required: ['service_key', ...required],
      ...rest,
    },
    [`PATCH /api/v1/${type}`]: { body: { service_key: 'spare', ...body }, required: ['service_key'], ...rest },
    [`GET /api/v1/${type}/{service_key}`]: spare,
    [`PUT /api/v1/${type}/{service_key}`]: { ...spare, body, required, ...(more.strict && { strict: more.strict }) },
    [`DELETE /api/v1/${type}/{service_key}`]: spare,
  }
  return table as Documents<Type>
}

const described = { description: 'Some words', organization_service_key: 'default_organization' }

const datasetBody = {
  ...described,
  meta: { anything: ['goes', 1] },
  third_country_transfers: ['CAN'],
  joint_controller: { name: 'Ada', email: 'ada@example.com' },
  retention: 'a year',
  data_categories: ['user'],
  data_qualifiers: ['aggregated'],
  collections: [
    {
      name: 'orders',
      data_categories: ['user.contact'],
      service_meta: { skip_processing: false, erase: 'mask', after: ['shop:customers'] },
      fields: [
        {
          name: 'id',
          data_qualifier: 'aggregated',
          service_meta: {
            primary_key: true,
            data_type: 'integer',
            length: 20,
            references: [{ dataset: 'shop', field: 'customers.id', direction: 'to' }],
            placeholders: ['none', 0],
            masking_strategy: { strategy: 'random_string_rewrite', configuration: { length: 10 } },
            retain: { reason: 'law', until: { after: 'id', period: 'P10Y' } },
          },
        },
        { name: 'lines', service_meta: { data_type: 'object[]' }, fields: [{ name: 'sku' }] },
      ],
    },
  ],
}

const systemBody = {
  ...described,
  registry_service_key: 'spare',
  system_type: 'Service',
  administrating_department: 'Engineering',
  data_responsibility_title: 'Controller',
  third_country_transfers: ['USA'],
  joint_controller: { name: 'Ada' },
  data_protection_impact_assessment: { is_required: true, progress: 'done', link: 'https://example.com/dpia' },
  privacy_declarations: [
    {
      name: 'Sell',
      data_categories: ['user.contact'],
      data_use: 'essential',
      data_subjects: ['customer'],
      data_qualifier: 'aggregated',
      dataset_references: ['shop'],
      egress: ['spare'],
      ingress: ['spare'],
    },
  ],
  egress: [{ service_key: 'spare', type: 'system', data_categories: ['user'] }],
  ingress: [{ service_key: 'spare', type: 'system', data_categories: [] }],
}

const policyBody = {
  ...described,
  execution_timeframe: 30,
  rules: [
    {
      service_key: 'erase_contact',
      action_type: 'erasure',
      data_categories: { matches: 'ANY', values: ['user.contact'] },
      data_uses: { matches: 'ALL', values: ['essential'] },
      data_subjects: { matches: 'ANY', values: ['customer'] },
      data_qualifier: 'aggregated',
      masking_strategy: { strategy: 'random_string_rewrite', configuration: { length: 12 } },
      format: ['json'],
    },
  ],
}

const connectionBody = {
  key: 'fresh',
  name: 'Fresh',
  connection_type: 'postgres',
  access: 'write',
  disabled: false,
  description: 'Some words',
}

const secretBody = {
  host: 'db.example',
  port: 5432,
  user: 'reader',
  password: planted.password,
  database: 'shop',
  ssl: { reject_unauthorized: true, server_name: 'db.example' },
}

const submission = {
  external_id: 'ticket-1',
  requested_at: '2024-05-01T12:00:00Z',
  policy_key: 'default_access_policy',
  identities: [{ email: planted.identity, user_id: 7 }],
  accept_unsearched: true,
  accept_undecided: ['shop:customers.email'],
}

const accepts = { accept_unsearched: ['shop:customers'], accept_undecided: ['shop:customers.email'] }

const clientForm = { client_id: root.id, client_secret: root.secret }
const form = { form: true, strict: true } as const
const client = { path: { client_id: ({ client: { id } }: AttackedWorld) => id } }
const lists = 'page=1&size=2'

/** Every endpoint of the table; one that is missing is a type error. */
export const samples: Readonly<Record<keyof EndpointTable, Sample>> = {
  'POST /api/v1/oauth/token': {
    ...form,
    body: { grant_type: 'client_credentials', scope: 'policy:read', ...clientForm },
    required: ['grant_type', 'client_id', 'client_secret'],
  },
  'POST /api/v1/oauth/revoke': { ...form, body: { token: 'none', ...clientForm }, required: ['token', 'client_id'] },
  'POST /api/v1/oauth/introspect': {
    ...form,
    body: { token: 'none', ...clientForm },
    required: ['token', 'client_secret'],
  },
  'GET /.well-known/oauth-authorization-server': {},
  'GET /api/v1/datamap': { query: 'view=controller&format=json' },
  'GET /api/v1/datamap/{service_key}': {
    path: { service_key: () => 'default_organization' },
    query: 'view=map&format=json',
  },
  'GET /api/v1/oauth/scope': {},
  'GET /api/v1/oauth/scopes': {},
  'POST /api/v1/oauth/client': {
    body: { scopes: ['policy:read'], grantable_scopes: ['policy:read'], name: 'Fresh' },
    strict: true,
    optional: true,
  },
  'GET /api/v1/oauth/client': { query: `search=reader&${lists}` },
  'GET /api/v1/oauth/client/{client_id}': client,
  'DELETE /api/v1/oauth/client/{client_id}': client,
  'GET /api/v1/oauth/client/{client_id}/scope': client,
  'PUT /api/v1/oauth/client/{client_id}/scope': {
    ...client,
    body: { scopes: ['policy:read'], grantable_scopes: ['policy:read'] },
    required: ['scopes'],
    strict: true,
  },
  'POST /api/v1/oauth/client/{client_id}/secret': client,

  ...documents('dataset', datasetBody),
  'GET /api/v1/dataset/{service_key}/findings': { path: { service_key: 'shop' } },
  ...documents('system', systemBody, { required: ['system_type'] }),
  ...documents('policy', policyBody, { list: true, strict: true }),
  ...documents('organization', {
    description: 'Some words',
    organization_parent_key: 'default_organization',
    controller: { name: 'Ada', address: 'Here', email: 'ada@example.com', phone: '1' },
    security_policy: 'https://example.com',
  }),
  ...documents('registry', described),
  ...documents('data_category', { ...described, parent_key: 'user' }),
  ...documents('data_use', {
    ...described,
    legal_basis: 'Consent',
    recipients: ['a partner'],
    legitimate_interest: true,
    legitimate_interest_impact_assessment: 'https://example.com/lia',
  }),
  ...documents('data_subject', {
    ...described,
    rights: { strategy: 'INCLUDE', values: ['Access'] },
    automated_decisions_or_profiling: false,
  }),
  ...documents('data_qualifier', { ...described, parent_key: 'aggregated' }),

  'POST /api/v1/manifest': {
    body: { registry: [{ service_key: 'fresh', ...described }], policy: [{ service_key: 'fresh', ...policyBody }] },
    manifest: true,
    strict: true,
  },

  'GET /api/v1/connection': {
    query: `connection_type=postgres&disabled=false&test_status=untested&system_type=database&search=a&${lists}`,
  },
  'POST /api/v1/connection': { body: connectionBody, required: ['connection_type'], list: true },
  'PATCH /api/v1/connection': { body: { ...connectionBody, key: 'spare' }, list: true },
  'GET /api/v1/connection/{connection_key}': connection,
  'DELETE /api/v1/connection/{connection_key}': { path: { connection_key: 'spare' } },
  'PUT /api/v1/connection/{connection_key}/secret': {
    ...connection,
    query: 'verify=false',
    body: secretBody,
    strict: true,
  },
  'PATCH /api/v1/connection/{connection_key}/secret': {
    ...connection,
    query: 'verify=false',
    body: { port: 5433, password: planted.password, ssl: true },
    strict: true,
  },
  'GET /api/v1/connection/{connection_key}/test': connection,
  'POST /api/v1/connection/{connection_key}/test': connection,
  'PATCH /api/v1/connection/{connection_key}/dataset': {
    ...connection,
    body: { service_key: 'spare', ...datasetBody },
    required: ['service_key'],
    list: true,
  },
  'GET /api/v1/connection/{connection_key}/dataset': { ...connection, query: `search=a&${lists}` },
  'GET /api/v1/connection/{connection_key}/dataset/{dataset_key}': {
    path: { ...connection.path, dataset_key: 'shop' },
  },
  'DELETE /api/v1/connection/{connection_key}/dataset/{dataset_key}': {
    path: { ...connection.path, dataset_key: 'shop' },
  },
  'PUT /api/v1/connection/{connection_key}/validate_dataset': {
    ...connection,
    body: { service_key: 'shop', ...datasetBody },
    required: ['service_key'],
  },
  'GET /api/v1/connection_type': { query: `search=a&system_type=database&${lists}` },
  'GET /api/v1/connection_type/{connection_type}/secret': { path: { connection_type: 'bigquery' } },

  'POST /api/v1/privacy-request': { body: submission, required: ['policy_key', 'identities'], list: true },
  'GET /api/v1/privacy-request': {
    query:
      'request_id=pri_*&external_id=a*&policy_key=a&status=pending&created_lt=2030-01-01&created_gt=2020-01-01' +
      '&started_lt=2030-01-01&started_gt=2020-01-01T00:00:00Z&verbose=true&include_identities=true' +
      `&sort_field=created_at&sort_direction=asc&identity=a&${lists}`,
  },
  'GET /api/v1/privacy-request/{privacy_request_id}': { ...requestPath('complete'), query: 'include_identities=false' },
  'GET /api/v1/privacy-request/{privacy_request_id}/log': { ...requestPath('failed'), query: lists },
  'POST /api/v1/privacy-request/{privacy_request_id}/retry': {
    ...requestPath('failed'),
    body: { ...accepts, accept_unconfirmed: true },
    optional: true,
    strict: true,
  },
  'POST /api/v1/privacy-request/bulk/retry': {
    body: { request_ids: [], ...accepts },
    required: ['request_ids'],
    ids: true,
    strict: true,
  },
  'POST /api/v1/privacy-request/{privacy_request_id}/run': requestPath('pending'),
  'PATCH /api/v1/privacy-request/administrate/cancel': {
    body: { request_ids: [], reason: 'a duplicate' },
    required: ['request_ids'],
    ids: true,
    strict: true,
  },
  ...lifeSamples,
  'PUT /api/v1/privacy-request/preview': { body: submission, required: ['policy_key', 'identities'] },
  'GET /api/v1/privacy-request/{privacy_request_id}/download': {
    ...requestPath('complete'),
    query: 'rule=default_access_policy_rule',
  },

  'GET /health': {},
  'GET /ready': {},
  'GET /api/v1/openapi.json': {},
  'GET /api/v1/docs': {},
  'GET /api/v1/docs/{file}': { path: { file: 'start.js' } },
}
