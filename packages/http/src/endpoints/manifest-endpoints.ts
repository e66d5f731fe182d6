import { manifestKinds, type UsedScope } from '@habeas/core'
import { asSent, withBody } from '../body-input.js'
import { answered, endpoint } from '../endpoint.js'
import type { HttpCall } from '../http-call.js'
import { mediaTypeOf, parseJson, readJson, readText } from '../read-json.js'
import { manifestAnswer, manifestInput, manifestRecord } from '../wire/manifest-record.js'

/** What a manifest's kinds need: the right to create and to change each of them. */
const scopesOf = (kind: string): UsedScope[] =>
  kind === 'dataset' || kind === 'policy'
    ? [`${kind}:create_or_update`]
    : ([`${kind}:create`, `${kind}:update`] as UsedScope[])

/** The body as text, so that errors say where in it they are. A body that a framework has parsed has no lines. */
async function bodyOf(http: HttpCall, limit: number): Promise<unknown> {
  const type = mediaTypeOf(http, ['json', 'yaml'])
  if (http.body.kind === 'parsed') return readJson(http, limit)
  const text = await readText(http, limit)
  // YAML is more than JSON, and a body is what its type says.
  if (type === 'json' && text !== '') parseJson(text)
  return text
}

/** Whole files of resources at once. */
export const manifestEndpoints = {
  'POST /api/v1/manifest': endpoint({
    summary: 'Create or replace the resources of a manifest; needs the scopes of what it holds',
    access: [],
    body: { schema: manifestInput, types: ['json', 'yaml'], size: 'document', raw: true },
    status: 200,
    result: manifestRecord,
    async action({ privacy, http, limit, caller, need }) {
      // Reading a manifest takes time. It is not read for callers who may write no kind of it.
      const mayWrite = (kind: string) => scopesOf(kind).every((scope) => caller?.scopes.includes(scope))
      if (!manifestKinds.some(mayWrite)) need(...manifestKinds.flatMap(scopesOf))
      const input = await bodyOf(http, limit)
      const manifest = await withBody('manifest', asSent(input), (body) => privacy.manifests.read(body))
      need(...manifest.kinds.flatMap(scopesOf))
      const applied = await privacy.manifests.apply(manifest)
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      return answered({ status: 200, headers, body: manifestAnswer(applied) })
    },
  }),
}
