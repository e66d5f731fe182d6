import { namedSchema } from '../schema.js'

const kinds = [
  ...['organization', 'registry', 'data_category', 'data_use', 'data_subject', 'data_qualifier'],
  ...['dataset', 'system', 'policy'],
]

const object = { type: 'object' }
const eachKind = (member: object) => ({
  type: 'object',
  properties: Object.fromEntries(kinds.map((kind) => [kind, member])),
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
