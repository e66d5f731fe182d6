import assert from 'node:assert/strict'
import { type Endpoints, endpoints, openApiDocument } from '@habeas/http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Content {
  readonly [mediaType: string]: unknown
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** A call and its answer, as far as the document has something to say about them. */
export interface Exchange {
  readonly method: string
  /** Below the mount. */
  readonly path: string
  readonly search: string
  /** The JSON that was sent; undefined when none was, or other than JSON. */
  readonly sent?: unknown
  readonly status: number
  readonly contentType: string | null
  readonly body: unknown
}

const document = openApiDocument(endpoints as Endpoints, { baseUrl: 'http://localhost' }) as Document

/** The document with every object closed, so that an answer cannot have a member it does not describe. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]))
  const isOpen = copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

function schemas(id: string, described: unknown) {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  ajv.addSchema(described as object, id)
  const compiled = new Map<string, ValidateFunction>()
  return (...place: readonly string[]): ValidateFunction => {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${id}#/${pointer}` })
    compiled.set(pointer, known)
    return known
  }
}

const answerSchema = schemas('answers', closed(document))
const requestSchema = schemas('requests', document)

const templates = Object.keys(document.paths)
  .map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{.+?\}/g, '[^/]+')}/?$`),
    parameters: template.split('{').length,
  }))
  .sort((left, right) => left.parameters - right.parameters)

const rangeOf = (content: Content, mediaType: string): string | undefined =>
  [mediaType, mediaType.replace(/\/.*$/, '/*'), '*/*'].find((range) => range in content)

/** Fails unless the document describes the answer, and what was sent when that was accepted. Gives the table's key. */
export function checkExchange(exchange: Exchange): string | undefined {
  const { method, path, status } = exchange
  const template = templates.find(({ pattern }) => pattern.test(path))?.template
  if (template === undefined) return undefined
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = document.paths[template]?.[verb]
  const told = `${method} ${path} → ${status}`
  if (!operation) {
    assert.equal(status, 405, `${told}: the document has no such operation`)
    return undefined
  }
  const response = operation.responses[status]
  assert.ok(response, `${told}: a status the document does not have, of ${Object.keys(operation.responses)}`)
  if (method !== 'HEAD') checkBody(exchange, told, [template, verb], response.content)
  if (status < 300) checkRequest(exchange, told, [template, verb], operation)
  return `${verb.toUpperCase()} ${template}`
}

type Place = readonly [template: string, verb: string]

function checkBody({ status, contentType, body }: Exchange, told: string, place: Place, content?: Content): void {
  if (!content) {
    assert.equal(body, undefined, `${told}: a body where the document has none`)
    return
  }
  const mediaType = contentType?.split(';')[0] ?? 'none'
  const range = rangeOf(content, mediaType)
  assert.ok(range, `${told}: ${mediaType}, where the document has ${Object.keys(content)}`)
  const validate = answerSchema('paths', ...place, 'responses', String(status), 'content', range, 'schema')
  assert.ok(validate(body), `${told}: not as described: ${JSON.stringify(validate.errors, undefined, 1)}`)
}

/** What is accepted must be described: the document may not be stricter than the service. */
function checkRequest({ search, sent }: Exchange, told: string, place: Place, operation: Operation): void {
  for (const name of new URLSearchParams(search).keys()) {
    const isKnown = operation.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)
    assert.ok(isKnown, `${told}: the document has no parameter ${name}`)
  }
  if (sent === undefined || !operation.requestBody || !('application/json' in operation.requestBody.content)) return
  const validate = requestSchema('paths', ...place, 'requestBody', 'content', 'application/json', 'schema')
  assert.ok(validate(sent), `${told}: took what is not described: ${JSON.stringify(validate.errors, undefined, 1)}`)
}

/** Every status of success that the document has, as `KEY STATUS`. */
export const documentedSuccesses: readonly string[] = Object.entries(document.paths).flatMap(([template, operations]) =>
  Object.entries(operations).flatMap(([verb, { responses }]) =>
    Object.keys(responses)
      .filter((status) => status.startsWith('2'))
      .map((status) => `${verb.toUpperCase()} ${template} ${status}`),
  ),
)
