import { html } from '@habeas/core'
import type { HttpAnswer } from './http-call.js'

/** Files of the viewer. */
const mediaTypes: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
}

const start = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  persistAuthorization: false,
  validatorUrl: null,
})
`

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // the viewer writes styles into elements
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page that loads everything from below `baseUrl`, and nothing from another host. */
export function docsPage(baseUrl: string): HttpAnswer {
  // The caller has chosen the host, which may be one that no URL can have.
  const [, path = ''] = /^[^/]*\/\/[^/]*(.*?)\/?$/.exec(baseUrl) ?? []
  // Two slashes would begin the name of another host.
  const mount = path.replace(/^\/+/, '/')
  const below = (file: string) => `${mount}/api/v1/docs/${file}`
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Habeas API</title>
<link rel="stylesheet" href="${below('swagger-ui.css')}">
</head>
<body>
<div id="api"></div>
<noscript>This page needs JavaScript; the document it shows is openapi.json.</noscript>
<script src="${below('swagger-ui-bundle.js')}"></script>
<script src="${below('start.js')}"></script>
</body>
</html>
`
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    body: markup,
  }
}

/** One file of the viewer, or undefined. `known` is the tag of the copy that the browser has. */
export async function viewerFile(name: string, known: string | undefined): Promise<HttpAnswer | undefined> {
  if (name === 'start.js')
    return { status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body: start }
  const type = Object.hasOwn(mediaTypes, name) ? mediaTypes[name] : undefined
  if (type === undefined) return undefined
  const body = await fileOf(name)
  const headers = { etag: `"${body.byteLength}"`, 'cache-control': 'public, max-age=3600' }
  if (known === headers.etag) return { status: 304, headers }
  return { status: 200, headers: { ...headers, 'content-type': type }, body }
}

/** Each file is read once, since unpacking takes time and the page needs no token. */
const files = new Map<string, Promise<Uint8Array>>()

function fileOf(name: string): Promise<Uint8Array> {
  // The code that holds the files is loaded with the first page.
  const read = files.get(name) ?? import('./read-viewer-file.js').then(({ readViewerFile }) => readViewerFile(name))
  files.set(name, read)
  return read
}
