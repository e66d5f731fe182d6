import { type AppliedManifest, type ManifestFailure, manifestKinds } from '@habeas/core'
import { namedSchema } from '../schema.js'

const object = { type: 'object' }
const eachKind = (member: object) => ({
  type: 'object',
  properties: Object.fromEntries(manifestKinds.map((kind) => [kind, member])),
  additionalProperties: false,
})

/** Kinds of resources, each with a list of them or with one. */
export const manifestInput = namedSchema<Readonly<Record<string, unknown>>>('Manifest', () =>
  eachKind({ anyOf: [{ type: 'array', items: object }, object] }),
)

/** What became of the items of each kind. */
export const manifestRecord = namedSchema<object>('ManifestResult', () =>
  eachKind({
    type: 'object',
    properties: {
      succeeded: { type: 'array', items: object },
      failed: {
        type: 'array',
        items: {
          type: 'object',
          properties: { message: { type: 'string' }, errors: { type: 'array', items: object }, data: {} },
          required: ['message', 'data'],
        },
      },
    },
    required: ['succeeded', 'failed'],
    additionalProperties: false,
  }),
)

const encoder = new TextEncoder()
const encoded = (text: string) => encoder.encode(text)

/**
 * What became of a manifest, as JSON, item by item: written at once, the answer to a large one would hold up every other
 * call. Places are those of the body.
 */
export async function* manifestAnswer(applied: AppliedManifest): AsyncGenerator<Uint8Array> {
  let opening = '{'
  for (const [kind, { succeeded, failed }] of Object.entries(applied)) {
    yield encoded(`${opening}${JSON.stringify(kind)}:{"succeeded":[`)
    yield* items(succeeded)
    yield encoded('],"failed":[')
    yield* items(failed.map(failureToWire))
    yield encoded(']}')
    opening = ','
  }
  yield encoded(opening === '{' ? '{}' : '}')
}

/** Each in a turn of its own. */
async function* items(list: readonly unknown[]): AsyncGenerator<Uint8Array> {
  for (const [at, item] of list.entries()) {
    yield encoded(`${at === 0 ? '' : ','}${JSON.stringify(item)}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function failureToWire({ errors, ...failure }: ManifestFailure): ManifestFailure {
  return { ...failure, ...(errors && { errors: errors.map((issue) => ({ ...issue, loc: ['body', ...issue.loc] })) }) }
}
