import { manifestKinds, type UsedScope } from '@habeas/core'
import { asSent, withBody } from '../body-input.js'
import { endpoint } from '../endpoint.js'
import { mediaTypeOf, readJson, readText } from '../read-json.js'
import { manifestInput, manifestRecord, manifestToWire } from '../wire/manifest-record.js'

/** What a manifest's kinds need: the right to create and to change each of them. */
const scopesOf = (kind: string): UsedScope[] =>
  kind === 'dataset' || kind === 'policy'
    ? [`${kind}:create_or_update`]
    : ([`${kind}:create`, `${kind}:update`] as UsedScope[])

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
      const isYaml = mediaTypeOf(http, ['json', 'yaml']) === 'yaml' && http.body.kind === 'bytes'
      const input = isYaml ? await readText(http, limit) : await readJson(http, limit)
      const manifest = await withBody('manifest', asSent(input), async (text) => privacy.manifests.read(text))
      need(...manifest.kinds.flatMap(scopesOf))
      return manifestToWire(await privacy.manifests.apply(manifest))
    },
  }),
}
