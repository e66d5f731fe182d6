import { PrivacyError } from '@habeas/core'
import * as z from 'zod'
import { docsPage, viewerFile } from '../docs-page.js'
import { answered, endpoint } from '../endpoint.js'
import { openApiText } from '../open-api-document.js'
import { namedSchema, zodSchema } from '../schema.js'

const part = z.enum(['healthy', 'unhealthy', 'unknown'])
const health = zodSchema(
  z.object({
    status: z.enum(['healthy', 'degraded', 'unhealthy']),
    storage: part,
    secrets: part,
    blobs: part,
    queue: part,
    worker: part,
    upkeep: part,
    problems: z.array(z.object({ part: z.string(), message: z.string() })),
  }),
  { name: 'Health' },
)
const readiness = zodSchema(z.object({ ready: z.boolean() }), { name: 'Readiness' })
const text = zodSchema(z.string())

/** About the service itself. All of it is open. */
export const serviceEndpoints = {
  'GET /health': endpoint({
    summary: 'What works, by part, and what to do about the rest; 503 when calls are refused',
    access: 'open',
    result: health,
    others: { 503: health },
    async action({ privacy }) {
      const found = await privacy.health()
      // causes are for operators
      const problems = found.problems.map(({ part, message }) => ({ part, message }))
      return inJson(found.status === 'unhealthy' ? 503 : 200, { ...found, problems })
    },
  }),

  'GET /ready': endpoint({
    summary: 'Whether this process answers calls, for a load balancer; 503 when not',
    access: 'open',
    result: readiness,
    others: { 503: readiness },
    async action({ privacy }) {
      const ready = await privacy.isReady()
      return inJson(ready ? 200 : 503, { ready })
    },
  }),

  'GET /api/v1/openapi.json': endpoint({
    summary: 'This document',
    access: 'open',
    result: namedSchema<object>('OpenApi', () => ({ type: 'object' })),
    async action({ endpoints, http: { baseUrl } }) {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      return answered({ status: 200, headers, body: openApiText(endpoints, { baseUrl }) })
    },
  }),

  'GET /api/v1/docs': endpoint({
    summary: 'A page that shows this document and tries its calls',
    access: 'open',
    result: text,
    resultType: 'text/html',
    action: async ({ http: { baseUrl } }) => answered(docsPage(baseUrl)),
  }),

  'GET /api/v1/docs/{file}': endpoint({
    summary: 'Scripts and styles of that page',
    access: 'open',
    result: text,
    resultType: 'text/*',
    others: { 304: undefined },
    async action({ path, http }) {
      const found = await viewerFile(path.file, http.header('if-none-match'))
      if (found) return answered(found)
      const message = 'The documentation page has no such file.'
      throw new PrivacyError('not_found', message, { kind: 'file', id: '' })
    },
  }),
}

function inJson(status: number, body: object) {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return answered({ status, headers, body: JSON.stringify(body) })
}
