import { PrivacyError } from '@habeas/core'
import * as z from 'zod'
import { docsPage, viewerFile } from '../docs-page.js'
import { answered, endpoint } from '../endpoint.js'
import { openApiDocument } from '../open-api-document.js'
import { namedSchema, zodSchema } from '../schema.js'

const health = zodSchema(
  z.object({ status: z.enum(['healthy', 'unhealthy']), storage: z.enum(['healthy', 'unhealthy']) }),
  {
    name: 'Health',
  },
)
const text = zodSchema(z.string())

/** About the service itself. All of it is open. */
export const serviceEndpoints = {
  'GET /health': endpoint({
    summary: 'Whether the service and its storage work; 503 when not',
    access: 'open',
    result: health,
    others: { 503: health },
    async action({ privacy }) {
      const { storage } = await privacy.health()
      const body = JSON.stringify({ status: storage, storage })
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      return answered({ status: storage === 'healthy' ? 200 : 503, headers, body })
    },
  }),

  'GET /api/v1/openapi.json': endpoint({
    summary: 'This document',
    access: 'open',
    result: namedSchema<object>('OpenApi', () => ({ type: 'object' })),
    action: async ({ endpoints, http: { baseUrl } }) => openApiDocument(endpoints, { baseUrl }),
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
