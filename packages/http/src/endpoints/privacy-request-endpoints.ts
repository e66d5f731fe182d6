import { type Issue, invalidInput, isPlainObject } from '@habeas/core'
import { fromWire, wireWarnings, withBody } from '../body-input.js'
import { answered, type EndpointCall, endpoint } from '../endpoint.js'
import { echoOf, oneOrMany } from '../one-or-many.js'
import { paging } from '../parameters.js'
import { eitherOf, listOf, mapped, oneOrBulk, pageOf } from '../schema.js'
import { accepts } from '../wire/acceptance-shape.js'
import { auditRecord, auditToWire } from '../wire/audit-record.js'
import { previewRecord, previewToWire } from '../wire/preview-record.js'
import {
  intakeRecord,
  intakeToWire,
  logRecord,
  logToWire,
  requestRecord,
  requestToWire,
  submissionInput,
  submissionNames,
  submittedRecord,
  verificationInput,
} from '../wire/request-record.js'
import { listNames, listQuery, sortFields, undefinedWhenGone, withIdentities } from './list-query.js'

/** Deadlines run from `requested_at`, so that a caller without a token cannot set it. */
function dated(loc: Issue['loc']) {
  const msg = 'is only for callers with an access token or a login'
  return invalidInput('privacy request', [{ loc: [...loc, 'requested_at'], msg, type: 'invalid_value' }])
}

/** Each request sends a mail, so that nobody without a token has many sent by one call. */
function alone() {
  const msg = 'must have one item: only callers with an access token or a login may submit several at once'
  return invalidInput('list', [{ loc: ['body'], msg, type: 'too_big' }])
}

const intake = { scopes: ['privacy-request:create'], orElse: 'open intake' } as const

/** Requests to hand over, or erase, what is held about a person. */
export const privacyRequestEndpoints = {
  'POST /api/v1/privacy-request': endpoint({
    summary: 'Submit a privacy request, or several',
    access: intake,
    body: { schema: eitherOf(submissionInput, listOf(submissionInput)) },
    status: 201,
    result: oneOrBulk(eitherOf(submittedRecord, intakeRecord)),
    async action({ privacy, body, report, caller, by, need }) {
      if (!caller && Array.isArray(body) && body.length > 1) throw alone()
      const submit = (input: never) => privacy.requests.submit(input, { ...by, ignoreUnknown: true })
      const one = async (item: unknown, loc: Issue['loc']) => {
        if (accepts(item)) need('privacy-request:review')
        if (!caller && isPlainObject(item) && ![undefined, null].includes(item['requested_at'] as null))
          throw dated(loc)
        const input = fromWire(item, submissionNames)
        const { warnings, ...request } = await withBody('privacy request', input, submit, loc)
        if (!caller) return intakeToWire(request)
        return { ...requestToWire(request), warnings: wireWarnings(warnings, input) }
      }
      return oneOrMany(body, one, { echo: echoOf('external_id', 'requested_at', 'policy_key'), report })
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/verify': endpoint({
    summary: 'Verify the address of a privacy request with the code that was mailed there',
    access: intake,
    body: { schema: verificationInput, what: 'verification' },
    result: eitherOf(requestRecord, intakeRecord),
    async action({ privacy, path, input, caller, by }) {
      if (!isPlainObject(input))
        throw invalidInput('verification', [{ loc: [], msg: 'must be an object', type: 'invalid_type' }])
      const { code } = input as { code: string }
      const request = await privacy.requests.verify(path.privacy_request_id, { code, ...by })
      return caller ? requestToWire(request) : intakeToWire(request)
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/resend': endpoint({
    summary: 'Mail a new code; the one before counts no more',
    access: intake,
    result: eitherOf(requestRecord, intakeRecord),
    async action({ privacy, path, caller, by }) {
      const request = await privacy.requests.resend(path.privacy_request_id, by)
      return caller ? requestToWire(request) : intakeToWire(request)
    },
  }),

  'GET /api/v1/privacy-request': endpoint({
    summary: 'List privacy requests',
    access: ['privacy-request:read'],
    query: listQuery,
    result: pageOf(requestRecord),
    otherTypes: ['text/csv'],
    async action({ privacy, query, caller, need }) {
      const { verbose: results = false, include_identities, download_csv, sort_field: sorted, ...rest } = query
      const shown = include_identities === true
      if (shown) need('privacy-request:view_data')
      const { input } = fromWire({ ...rest, ...(sorted && { sort_field: sortFields[sorted] }) }, listNames)
      const asked = input as Parameters<typeof privacy.requests.list>[0]
      if (download_csv) {
        const identities = include_identities ?? caller?.scopes.includes('privacy-request:view_data') === true
        const lines = () => privacy.requests.exportCsv({ ...asked, identities })
        return csvAnswer(await withBody('list query', fromWire({}, listNames), lines, ['query']))
      }
      const page = await withBody('list query', fromWire({}, listNames), () => privacy.requests.list(asked), ['query'])
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
      const request = await privacy.requests.get(path.privacy_request_id)
      const identities = shown ? await identitiesOf(privacy, request.id) : undefined
      const actionNeeded = identities && (await privacy.requests.actionNeeded(request.id))
      return requestToWire(request, { ...(identities && { identities }), ...(actionNeeded && { actionNeeded }) })
    },
  }),

  'GET /api/v1/privacy-request/{privacy_request_id}/log': endpoint({
    summary: 'Read the execution log of a privacy request, oldest entry first',
    access: ['privacy-request:read'],
    query: paging,
    result: pageOf(logRecord),
    action: async ({ privacy, path, query }) =>
      mapped(await privacy.requests.log(path.privacy_request_id, query), logToWire),
  }),

  'GET /api/v1/privacy-request/{privacy_request_id}/audit': endpoint({
    summary: 'Read who did what to a privacy request, and each change of its status, oldest entry first',
    access: ['privacy-request:read'],
    query: paging,
    result: pageOf(auditRecord),
    action: async ({ privacy, path, query }) =>
      mapped(await privacy.requests.auditTrail(path.privacy_request_id, query), auditToWire),
  }),

  'PUT /api/v1/privacy-request/preview': endpoint({
    summary: 'Plan a privacy request; nothing is executed and nothing stored',
    access: ['privacy-request:read'],
    body: { schema: submissionInput, what: 'privacy request', names: submissionNames },
    result: previewRecord,
    action: async ({ privacy, input, http: { signal } }) =>
      previewToWire(await privacy.requests.preview(input, { signal, ignoreUnknown: true })),
  }),
}

function csvAnswer(lines: AsyncIterable<string>) {
  const day = new Date().toISOString().slice(0, 10)
  const name = `privacy_requests_download_${day}.csv`
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename=${name}`,
  }
  return answered({ status: 200, headers, body: bytesOf(lines) })
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text)
}

/** Undefined once they were destroyed. */
function identitiesOf(privacy: EndpointCall['privacy'], id: string) {
  return privacy.requests.identities(id).catch(undefinedWhenGone)
}
