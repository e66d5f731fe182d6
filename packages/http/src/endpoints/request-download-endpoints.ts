import type { PrivacyService } from '@habeas/core'
import * as z from 'zod'
import { answered, type EndpointCall, endpoint } from '../endpoint.js'
import type { HttpAnswer } from '../http-call.js'
import { choiceParameter, textParameter } from '../parameters.js'
import { zodSchema } from '../schema.js'

const linkRecord = zodSchema(
  z.object({ download_url: z.string(), url: z.string().nullable(), name: z.string(), expires_at: z.iso.datetime() }),
  { name: 'DownloadLink' },
)

const choice = {
  rule: textParameter('Key of the access rule, where the policy has several.'),
  format: choiceParameter('The format, where there are several.', ['json', 'csv', 'html']),
  name: textParameter('Name of the package, where there are several.'),
}

/** How a package reaches its person. */
export const requestDownloadEndpoints = {
  'GET /api/v1/privacy-request/{privacy_request_id}/download': endpoint({
    summary: 'Download a package of a complete privacy request: once with the token of a link, or with a bearer token',
    access: { scopes: ['privacy-request:download'], orElse: 'link token' },
    query: { token: textParameter('The token of a one-time link.'), ...choice },
    result: zodSchema(z.record(z.string(), z.unknown()), { name: 'Package' }),
    otherTypes: ['text/plain', 'application/zip'],
    others: { 206: zodSchema(z.string()), 416: undefined },
    async action({ privacy, path, query: { token, ...chosen }, by, http }) {
      const id = path.privacy_request_id
      if (token !== undefined) return linked(privacy, id, token, http)
      const found = await privacy.requests.package(id, chosen)
      if (http.method !== 'HEAD') {
        await privacy.requests.noteDownload(id, found.name, by)
      }
      return answered({
        status: 200,
        headers: { ...headersOf(found), ...lengthOf(found.size) },
        body: found.stream,
      })
    },
  }),

  'POST /api/v1/privacy-request/{privacy_request_id}/download-link': endpoint({
    summary: 'Make a one-time link to a package of a complete privacy request',
    access: ['privacy-request:download'],
    query: choice,
    status: 201,
    result: linkRecord,
    async action({ privacy, path, query, by }) {
      const link = await privacy.requests.createDownloadLink(path.privacy_request_id, { ...query, ...by })
      return { download_url: link.path, url: link.url ?? null, name: link.name, expires_at: link.expiresAt }
    },
  }),
}

/** The first caller gets the whole package. One who was cut off gets the rest. */
async function linked(
  privacy: PrivacyService,
  id: string,
  token: string,
  http: EndpointCall['http'],
): Promise<HttpAnswer> {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(http.header('range')?.trim() ?? '')?.[1] ?? 0)
  const etag = /^"([A-Za-z0-9_-]+)"$/.exec(http.header('if-range')?.trim() ?? '')?.[1]
  const found = await privacy.requests.download(id, { token, from, etag, peek: http.method === 'HEAD' })
  const headers = {
    ...headersOf(found),
    'accept-ranges': 'bytes',
    ...(found.etag !== undefined && { etag: `"${found.etag}"` }),
  }
  if (found.from === 0) {
    return answered({ status: 200, headers: { ...headers, ...lengthOf(found.size) }, body: found.stream })
  }
  if (found.from >= found.size) return answered({ status: 416, headers: { 'content-range': `bytes */${found.size}` } })
  const partial = {
    'content-range': `bytes ${found.from}-${found.size - 1}/${found.size}`,
    'content-length': String(found.size - found.from),
  }
  return answered({ status: 206, headers: { ...headers, ...partial }, body: found.stream })
}

/** A package that an older version wrote may not say how long it is. */
function lengthOf(size: number | undefined): Record<string, string> {
  return size === undefined ? {} : { 'content-length': String(size) }
}

function headersOf({ mediaType, name }: { readonly mediaType: string; readonly name: string }) {
  return {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9_.-]/g, '_')}"`,
    // The address holds the token.
    'referrer-policy': 'no-referrer',
  }
}
