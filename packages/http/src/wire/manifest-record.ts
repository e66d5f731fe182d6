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

/** What became of a manifest, its places those of the body. */
export function manifestToWire(applied: AppliedManifest): object {
  return Object.fromEntries(
    Object.entries(applied).map(([kind, { succeeded, failed }]) => [
      kind,
      { succeeded, failed: failed.map(failureToWire) },
    ]),
  )
}

function failureToWire({ errors, ...failure }: ManifestFailure): ManifestFailure {
  return { ...failure, ...(errors && { errors: errors.map((issue) => ({ ...issue, loc: ['body', ...issue.loc] })) }) }
}
