import { scopes } from '@habeas/core'
import { type Endpoint, type Endpoints, scopesOf } from './endpoint.js'
import { errorCodes, statusOf, statusOfLostAnswer } from './problem.js'
import type { MediaType } from './read-json.js'
import { issueSchema, type JsonSchema, jsonSchema, placeholder, type Schema } from './schema.js'

const mediaTypes: Readonly<Record<MediaType, readonly string[]>> = {
  json: ['application/json'],
  yaml: ['application/yaml'],
  form: ['application/x-www-form-urlencoded', 'multipart/form-data'],
}

const problem: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { enum: errorCodes },
    errors: { type: 'array', items: issueSchema },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
  additionalProperties: false,
}

const oauthError: JsonSchema = {
  type: 'object',
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  required: ['error', 'error_description'],
  additionalProperties: false,
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly schemas: JsonSchema
}

const described = new WeakMap<Endpoints, Described>()

/** The part of the document that is the same for every caller. It is made once, since it takes long and needs no token. */
function describe(endpoints: Endpoints): Described {
  const known = described.get(endpoints)
  if (known) return known
  const components = componentRegister()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const [verb = '', path = ''] = key.split(' ')
    paths[path] = { ...paths[path], [verb.toLowerCase()]: operation(key, endpoint, components, twinOf(key, endpoints)) }
  }
  components.add('Problem', problem)
  components.add('OAuthError', oauthError)
  const made = { paths, schemas: components.schemas() }
  described.set(endpoints, made)
  return made
}

/** The OpenAPI 3.1 document of an endpoint table. */
export function openApiDocument(endpoints: Endpoints, { baseUrl }: { readonly baseUrl: string }): object {
  const { paths, schemas } = describe(endpoints)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Habeas',
      version: '1',
      description: 'Privacy data model, database connections and privacy requests.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: `${baseUrl}/api/v1/oauth/token`, scopes: scopeTexts() } },
        },
        client: { type: 'http', scheme: 'basic', description: 'Client ID and client secret.' },
        linkToken: { type: 'apiKey', in: 'query', name: 'token', description: 'The token of a download link.' },
        replyToken: { type: 'http', scheme: 'bearer', description: 'The reply-to-token of the call of a webhook.' },
      },
    },
  }
}

const texts = new WeakMap<Endpoints, { readonly baseUrl: string; readonly text: string }>()

/** The same as JSON. It is made once, as long as callers use one address of the interface. */
export function openApiText(endpoints: Endpoints, { baseUrl }: { readonly baseUrl: string }): string {
  const known = texts.get(endpoints)
  if (known?.baseUrl === baseUrl) return known.text
  const text = JSON.stringify(openApiDocument(endpoints, { baseUrl }))
  texts.set(endpoints, { baseUrl, text })
  return text
}

function scopeTexts(): Record<string, string> {
  const text = (reserved: boolean) => (reserved ? 'Reserved: no endpoint asks for it.' : '')
  return Object.fromEntries(scopes.map(({ name, reserved }) => [name, text(reserved)]))
}

type Components = ReturnType<typeof componentRegister>

function operation(key: string, endpoint: Endpoint, components: Components, isTwin: boolean): object {
  const [verb = '', path = ''] = key.split(' ')
  const inPath = [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(endpoint.query ?? {}).map(([name, { description, schema }]) => ({
    name,
    in: 'query',
    description,
    schema: jsonSchema(schema, 'output'),
  }))
  const { body } = endpoint
  const types = (body?.types ?? ['json']).flatMap((type) => mediaTypes[type])
  return {
    operationId: operationId(verb, path) + (isTwin ? '_without_prefix' : ''),
    summary: endpoint.summary,
    tags: [tagOf(path)],
    security: securityOf(endpoint),
    parameters: [...inPath, ...inQuery],
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        content: Object.fromEntries(types.map((type) => [type, { schema: components.place(body.schema) }])),
      },
    }),
    responses: { ...errorsOf(verb, path, endpoint), ...answersOf(endpoint, components) },
  }
}

function securityOf({ access }: Endpoint): object[] {
  if (access === 'open') return []
  if (access === 'client credentials') return [{ client: [] }]
  if (!('orElse' in access)) return [{ oauth: [...access] }]
  return [{ oauth: [...access.scopes] }, otherwise[access.orElse]]
}

const otherwise = { 'open intake': {}, 'link token': { linkToken: [] }, 'reply token': { replyToken: [] } } as const

/** Whether people may call the endpoint for a request of their own. Wrong codes are then limited. */
function isIntake({ access }: Endpoint): boolean {
  return typeof access === 'object' && 'orElse' in access && access.orElse === 'open intake'
}

function answersOf(endpoint: Endpoint, components: Components): Record<string, unknown> {
  const { result, resultType = 'application/json', otherTypes = [], others = {} } = endpoint
  const status = endpoint.status ?? (result ? 200 : 204)
  if (!result) return { [status]: { description: 'Done.' } }
  const answer = (description: string, schema: Schema) => ({
    description,
    content: {
      [resultType]: { schema: components.place(schema) },
      ...Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
    },
  })
  const alike = Object.entries(others).map(([other, schema]) => [
    other,
    schema ? answer('As the summary says.', schema) : { description: 'Nothing new.' },
  ])
  // A list is always answered with 200.
  if (!result.answers || status === 200) return { [status]: answer('Done.', result), ...Object.fromEntries(alike) }
  const { one, many } = result.answers
  return { [status]: answer('Done.', one), 200: answer('One answer for each item of a list.', many) }
}

/** The errors that an endpoint of this kind may answer. */
function errorsOf(verb: string, path: string, endpoint: Endpoint): Record<string, unknown> {
  const codes: Parameters<typeof statusOf>[0][] = ['internal', 'unavailable']
  if (endpoint.access !== 'open' || endpoint.errors === 'oauth') codes.push('unauthenticated')
  if (scopesOf(endpoint.access)) codes.push('forbidden')
  if (endpoint.errors === 'oauth') codes.push('malformed_body', 'rate_limited', 'payload_too_large')
  else {
    if (verb !== 'GET') codes.push('malformed_body', 'payload_too_large', 'unsupported_media_type', 'conflict')
    if (verb !== 'GET' || endpoint.query) codes.push('invalid_input')
    if (path.includes('{')) codes.push('not_found', 'gone')
    if (isIntake(endpoint)) codes.push('verification_failed', 'rate_limited')
    if (path.includes('connection') || path.includes('privacy-request'))
      codes.push('connection_failed', 'invalid_state')
  }
  const ref = endpoint.errors === 'oauth' ? 'OAuthError' : 'Problem'
  const type = endpoint.errors === 'oauth' ? 'application/json' : 'application/problem+json'
  const content = { [type]: { schema: { $ref: `#/components/schemas/${ref}` } } }
  const byStatus = new Map<number, string[]>()
  for (const code of codes) byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code])
  if (verb !== 'GET') byStatus.set(statusOfLostAnswer, ['unavailable: the call may have been carried out'])
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [status, { description: [...new Set(list)].join(', '), content }]),
  )
}

/** Whether the same endpoint exists below the prefix as well. That path is the one to document. */
function twinOf(key: string, endpoints: Endpoints): boolean {
  return Object.hasOwn(endpoints, key.replace(' ', ' /api/v1'))
}

function operationId(verb: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return [verb.toLowerCase(), ...words].join('_')
}

/** Groups of paths whose first segment has another name. */
const groups = new Map([
  ['.well-known', 'oauth'],
  ['health', 'service'],
  ['ready', 'service'],
  ['openapi.json', 'service'],
  ['docs', 'service'],
])

function tagOf(path: string): string {
  const [, first = ''] = path.replace(/^\/api\/v1/, '').split('/')
  return groups.get(first) ?? first
}

/** Collects named schemas, so that each stands in the document once. */
function componentRegister() {
  const found = new Map<string, JsonSchema>()

  function place(schema: Schema): JsonSchema {
    if (schema.name === undefined) return resolved(schema.json()) as JsonSchema
    if (!found.has(schema.name)) {
      // Known before it is made, as it may refer to itself.
      found.set(schema.name, {})
      found.set(schema.name, hoisted(schema.name, resolved(schema.json()) as JsonSchema))
    }
    return { $ref: `#/components/schemas/${schema.name}` }
  }

  /** Named schemas inside of another become references. */
  function resolved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolved)
    if (typeof value !== 'object' || value === null) return value
    if (placeholder in value) return place((value as { [placeholder]: Schema })[placeholder])
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]))
  }

  /** Definitions inside of a schema become components: references below `#` mean the whole document. */
  function hoisted(name: string, { $defs, ...schema }: JsonSchema): JsonSchema {
    const definitions = Object.entries((($defs as JsonSchema) ?? {}) as Record<string, JsonSchema>)
    const renamed = (reference: string) => {
      const inner = /^#\/\$defs\/(.+)$/.exec(reference)?.[1]
      if (inner !== undefined) return `#/components/schemas/${componentName(name, inner)}`
      return reference === '#' ? `#/components/schemas/${name}` : reference
    }
    const moved = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(moved)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          key === '$ref' && typeof member === 'string' ? renamed(member) : moved(member),
        ]),
      )
    }
    for (const [inner, definition] of definitions)
      found.set(componentName(name, inner), moved(definition) as JsonSchema)
    return moved(schema) as JsonSchema
  }

  return {
    place,
    add: (name: string, schema: JsonSchema) => void found.set(name, schema),
    schemas: () => Object.fromEntries([...found].sort(([left], [right]) => (left < right ? -1 : 1))),
  }
}

const componentName = (name: string, inner: string) => `${name}_${inner.replace(/[^A-Za-z0-9]+/g, '')}`
