import { type Evidence, receiptHtml, receiptText } from '@habeas/core'
import { answered, endpoint } from '../endpoint.js'
import type { HttpCall } from '../http-call.js'
import { choiceParameter } from '../parameters.js'
import { namedSchema } from '../schema.js'
import { receiptRecord, receiptToWire } from '../wire/receipt-record.js'

const formats = ['json', 'html', 'text'] as const
type Format = (typeof formats)[number]

/** Media types in which a receipt may be asked for, each with its format. */
const accepted: Readonly<Record<string, Format>> = {
  'text/html': 'html',
  'text/plain': 'text',
  'application/json': 'json',
}

/** Passed on as it was signed: a member that was renamed on the way would break the signature. */
const evidenceRecord = namedSchema<Evidence>('Evidence', () => {
  const object = { type: 'object' }
  const properties = {
    format: { const: 'habeas-evidence/1' },
    exportedAt: { type: 'string', format: 'date-time' },
    request: object,
    policy: object,
    plan: { type: ['object', 'null'] },
    receipt: { type: ['object', 'null'] },
    audit: { type: 'array', items: object },
    log: { type: 'array', items: object },
    head: object,
    signature: object,
  }
  return {
    ...object,
    properties,
    required: Object.keys(properties),
    description: 'To be kept as it comes: `npx habeas-verify` checks it.',
  }
})

/** The receipt and the evidence of a request. */
export const requestProofEndpoints = {
  'GET /api/v1/privacy-request/{privacy_request_id}/receipt': endpoint({
    summary: 'Read what the last run of an erasure did, as JSON, as a page, or as text',
    access: ['privacy-request:read'],
    query: { format: choiceParameter('By default what the header Accept asks for first, else json.', formats) },
    result: receiptRecord,
    otherTypes: ['text/html', 'text/plain'],
    async action({ privacy, path, query, http }) {
      const receipt = await privacy.requests.receipt(path.privacy_request_id)
      const format = query.format ?? acceptedFormat(http)
      if (format === 'json') return receiptToWire(receipt)
      const headers = { 'content-type': `text/${format === 'html' ? 'html' : 'plain'}; charset=utf-8` }
      return answered({
        status: 200,
        headers: { ...headers, vary: 'accept', 'referrer-policy': 'no-referrer' },
        body: format === 'html' ? receiptHtml(receipt) : receiptText(receipt),
      })
    },
  }),

  'GET /api/v1/privacy-request/{privacy_request_id}/evidence': endpoint({
    summary: 'Export everything that is kept about a privacy request, signed; without identities',
    access: ['privacy-request:read'],
    result: evidenceRecord,
    async action({ privacy, path }) {
      const evidence = await privacy.requests.exportEvidence(path.privacy_request_id)
      const name = `evidence-${evidence.request.id}.json`
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
      }
      return answered({ status: 200, headers, body: JSON.stringify(evidence) })
    },
  }),
}

/** The first type that the receipt has. Weights in the header are ignored. */
function acceptedFormat(http: HttpCall): Format {
  const asked = (http.header('accept') ?? '').split(',').map((type) => (type.split(';')[0] ?? '').trim().toLowerCase())
  return asked.flatMap((type) => (Object.hasOwn(accepted, type) ? [accepted[type] as Format] : []))[0] ?? 'json'
}
