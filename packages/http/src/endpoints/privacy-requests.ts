import { type PrivacyRequest, parseInput } from '@habeas/core'
import * as z from 'zod'
import { fromWire, wireWarnings, withBody } from '../body-input.js'
import { echoOf, many, oneOrMany } from '../bulk.js'
import { answered, type EndpointCall, endpoint } from '../endpoint.js'
import { choiceParameter, choicesParameter, flagParameter, paging, textParameter } from '../parameters.js'
import { bulkOf, eitherOf, listOf, namedSchema, oneOrBulk, pageOf, sentJsonSchema, zodSchema } from '../schema.js'
import { previewRecord, previewToWire } from '../wire/plan.js'
import {
  logRecord,
  logToWire,
  requestRecord,
  requestToWire,
  submissionInput,
  submissionNames,
  submittedRecord,
} from '../wire/privacy-request.js'

const statuses = [
  ...['identity_unverified', 'pending', 'approved', 'denied', 'in_processing'],
  ...['requires_input', 'paused', 'complete', 'error', 'canceled'],
] as PrivacyRequest['status'][]

/** Fields that lists may be sorted by, each with its name in the model. */
const sortFields = {
  id: 'id',
  created_at: 'createdAt',
  requested_at: 'requestedAt',
  started_processing_at: 'startedProcessingAt',
  finished_processing_at: 'finishedProcessingAt',
  identity_verified_at: 'identityVerifiedAt',
  reviewed_at: 'reviewedAt',
  due_date: 'dueDate',
  status: 'status',
  external_id: 'externalId',
  policy_key: 'policyKey',
} as const

const before = (what: string) => textParameter(`Those ${what} before this time, an ISO 8601 date or date-time.`)
const after = (what: string) => textParameter(`Those ${what} after this time, an ISO 8601 date or date-time.`)

const listQuery = {
  request_id: textParameter('The id; with a trailing * all that begin so.'),
  external_id: textParameter("The caller's id; with a trailing * all that begin so."),
  identity: textParameter('The exact value of any property of an identity.'),
  policy_key: textParameter('The key of the policy.'),
  status: choicesParameter('The status; several mean any of them.', statuses),
  created_lt: before('created'),
  created_gt: after('created'),
  started_lt: before('started'),
  started_gt: after('started'),
  completed_lt: before('completed'),
  completed_gt: after('completed'),
  errored_lt: before('that failed'),
  errored_gt: after('that failed'),
  verbose: flagParameter('True: with the outcome for each collection.'),
  include_identities: flagParameter('True: with the identities. Needs the scope privacy-request:view_data.'),
  sort_field: choiceParameter('By default created_at.', Object.keys(sortFields) as (keyof typeof sortFields)[]),
  sort_direction: choiceParameter('By default desc. What has no value comes last.', ['asc', 'desc']),
  ...paging,
}

const listNames = {
  request_id: 'requestId',
  external_id: 'externalId',
  policy_key: 'policyKey',
  created_lt: 'createdLt',
  created_gt: 'createdGt',
  started_lt: 'startedLt',
  started_gt: 'startedGt',
  completed_lt: 'completedLt',
  completed_gt: 'completedGt',
  errored_lt: 'erroredLt',
  errored_gt: 'erroredGt',
  sort_field: 'sortField',
  sort_direction: 'sortDirection',
} as const

const withIdentities = {
  include_identities: flagParameter('True: with the identities. Needs the scope privacy-request:view_data.'),
}

const administration = z.strictObject({
  request_ids: z.array(z.string().max(255)),
  reason: z.string().max(1_000).exactOptional(),
})

type Administration = z.output<typeof administration>

const requestIdsInput = namedSchema<readonly string[] | { request_ids: readonly string[]; reason?: string | null }>(
  'PrivacyRequestIds',
  () => ({ anyOf: [{ type: 'array', items: { type: 'string' } }, sentJsonSchema(administration)] }),
)

/** Reads the ids an administrate call is about: a bare list, or `{request_ids, reason?}`, where nothing else is known. */
function readAdministration(body: unknown): Administration {
  const isList = Array.isArray(body)
  return parseInput('list of requests', administration, isList ? { request_ids: body } : body, {
    readOnly: [],
    locate: (loc) => ['body', ...(isList ? loc.slice(1) : loc)],
  }).value
}

const administrated = bulkOf(requestRecord)
/** What is no id may be anything, also something personal. */
const isId = (id: unknown) => typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id)
const echoId = (id: unknown) => ({ privacy_request_id: isId(id) ? id : null })

/** One event for each of a list of requests. */
function administrate(
  { body, report }: EndpointCall,
  act: (id: string, administration: Administration) => Promise<PrivacyRequest>,
) {
  const read = readAdministration(body)
  const one = async (id: unknown) => requestToWire(await act(id as string, read))
  return many(read.request_ids, one, { echo: echoId, report })
}

/** Requests to hand over, or erase, what is held about a person (decisions §6). */
export const privacyRequestEndpoints = {
  'POST /api/v1/privacy-request': endpoint({
    summary: 'Submit a privacy request, or several',
    access: ['privacy-request:create'],
    body: { schema: eitherOf(submissionInput, listOf(submissionInput)) },
    status: 201,
    result: oneOrBulk(submittedRecord),
    async action({ privacy, body, report }) {
      const one = async (item: unknown, loc: readonly (string | number)[]) => {
        const input = fromWire(item, submissionNames)
        const { warnings, ...request } = await withBody('privacy request', input, loc, privacy.requests.submit)
        return { ...requestToWire(request), warnings: wireWarnings(warnings, input) }
      }
      return oneOrMany(body, one, { echo: echoOf('external_id', 'requested_at', 'policy_key'), report })
    },
  }),

  'GET /api/v1/privacy-request': endpoint({
    summary: 'List privacy requests',
    access: ['privacy-request:read'],
    query: listQuery,
    result: pageOf(requestRecord),
    async action({ privacy, query, need }) {
      const { verbose: results = false, include_identities: shown = false, sort_field: sorted, ...rest } = query
      if (shown) need('privacy-request:view_data')
      const { input } = fromWire({ ...rest, ...(sorted && { sort_field: sortFields[sorted] }) }, listNames)
      const list = () => privacy.requests.list(input as Parameters<typeof privacy.requests.list>[0])
      const page = await withBody('list query', fromWire({}, listNames), ['query'], list)
      const items = await Promise.all(
        page.items.map(async (request) => {
          const identities = shown ? await identitiesOf(privacy, request.id) : undefined
          return requestToWire(request, { results, ...(identities && { identities }) })
        }),
      )
      return { ...page, items }
    },
  }),

  'GET /api/v1/privacy-request/{privacy_request_id}': endpoint({
    summary: 'Read a privacy request',
    access: ['privacy-request:read'],
    query: withIdentities,
    result: requestRecord,
    async action({ privacy, path, query, need }) {
      const shown = query.include_identities === true
      if (shown) need('privacy-request:view_data')
      const request = await privacy.requests.get(path.privacy_request_id as string)
      const identities = shown ? await identitiesOf(privacy, request.id) : undefined
      return requestToWire(request, identities && { identities })
    },
  }),

  'GET /api/v1/privacy-request/{privacy_request_id}/log': endpoint({
    summary: 'Read the execution log of a privacy request, oldest entry first',
    access: ['privacy-request:read'],
    query: paging,
    result: pageOf(logRecord),
    async action({ privacy, path, query }) {
      const page = await privacy.requests.log(path.privacy_request_id as string, query)
      return { ...page, items: page.items.map(logToWire) }
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/retry': endpoint({
    summary: 'Run a failed privacy request again from where it failed',
    access: ['privacy-request:resume'],
    result: requestRecord,
    action: async ({ privacy, path }) => requestToWire(await privacy.requests.retry(path.privacy_request_id as string)),
  }),

  'POST /api/v1/privacy-request/bulk/retry': endpoint({
    summary: 'Run several failed privacy requests again',
    access: ['privacy-request:resume'],
    body: { schema: requestIdsInput },
    result: administrated,
    action: (call) => administrate(call, (id) => call.privacy.requests.retry(id)),
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/run': endpoint({
    summary: 'Run a privacy request that waits, where requests do not run by themselves',
    access: ['privacy-request:resume'],
    result: requestRecord,
    async action({ privacy, path }) {
      const id = path.privacy_request_id as string
      await privacy.requests.run(id)
      return requestToWire(await privacy.requests.get(id))
    },
  }),

  'PATCH /api/v1/privacy-request/administrate/cancel': endpoint({
    summary: 'Cancel privacy requests',
    access: ['privacy-request:review'],
    body: { schema: requestIdsInput },
    result: administrated,
    action: (call) =>
      administrate(call, (id, { reason }) => call.privacy.requests.cancel(id, reason === undefined ? {} : { reason })),
  }),

  'PUT /api/v1/privacy-request/preview': endpoint({
    summary: 'Plan a privacy request; nothing is executed and nothing stored',
    access: ['privacy-request:read'],
    body: { schema: submissionInput },
    result: previewRecord,
    async action({ privacy, body, http: { signal } }) {
      const preview = (input: unknown) =>
        privacy.requests.preview(input as Parameters<typeof privacy.requests.preview>[0], { signal })
      return previewToWire(await withBody('privacy request', fromWire(body, submissionNames), ['body'], preview))
    },
  }),

  'GET /api/v1/privacy-request/{privacy_request_id}/download': endpoint({
    summary: 'Download the package of a complete privacy request',
    access: ['privacy-request:download'],
    query: { rule: textParameter('Key of the access rule, where the policy has several.') },
    result: zodSchema(z.record(z.string(), z.unknown()), { name: 'Package' }),
    async action({ privacy, path, query: { rule } }) {
      const found = await privacy.requests.package(
        path.privacy_request_id as string,
        rule === undefined ? {} : { rule },
      )
      const headers = {
        'content-type': found.mediaType,
        'content-disposition': `attachment; filename="${found.name.replace(/[^A-Za-z0-9_.-]/g, '_')}"`,
        ...(found.size !== undefined && { 'content-length': String(found.size) }),
      }
      return answered({ status: 200, headers, body: found.stream })
    },
  }),
}

/** Undefined once they were destroyed. */
async function identitiesOf(privacy: EndpointCall['privacy'], id: string) {
  const found = await privacy.requests.identities(id).catch((error: { code?: string }) => {
    if (error.code === 'gone') return undefined
    throw error
  })
  return found
}
