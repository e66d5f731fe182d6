import { type Endpoints, endpoints, openApiDocument } from '@habeas/http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { EndpointKey } from './calls.js'
import { origin } from './world.js'

type Json = { [member: string]: Json } & { $ref?: string }

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Json }
}

interface OpenApiOperation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >
}

/** The OpenAPI document, as a reader of it sees it. */
export const openApi = JSON.parse(
  JSON.stringify(openApiDocument(endpoints as Endpoints, { baseUrl: origin })),
) as OpenApi

const ajv = new Ajv2020({ strict: false, validateFormats: true })
;(addFormats as unknown as (validator: Ajv2020) => void)(ajv)
// As browsers read them: more than RFC 3986 allows.
ajv.addFormat('uri', (text: string) => URL.canParse(text))
ajv.addSchema({ $id: 'api', components: openApi.components })

function operationOf(key: EndpointKey): OpenApiOperation {
  const [verb = '', path = ''] = key.split(' ')
  return openApi.paths[path]?.[verb.toLowerCase()] as OpenApiOperation
}

/** What the document says a body is; undefined where there is none. */
export function bodySchemaOf(key: EndpointKey): Json | undefined {
  const content = operationOf(key).requestBody?.content
  return content && Object.values(content)[0]?.schema
}

/** Whether the document allows a body. */
export function bodyValidator(key: EndpointKey): ValidateFunction | undefined {
  const schema = bodySchemaOf(key)
  return schema && ajv.compile(absolute(schema) as object)
}

/** Whether the document allows an answer in JSON with this status. Undefined: it does not know the status at all. */
export function answerValidators(key: EndpointKey): ReadonlyMap<number, ValidateFunction | null> {
  return new Map(
    Object.entries(operationOf(key).responses).map(([status, { content }]) => {
      const schema = content && Object.entries(content).find(([type]) => type.includes('json'))?.[1].schema
      return [Number(status), schema ? ajv.compile(absolute(schema) as object) : null]
    }),
  )
}

/** Whether the document allows an answer of this media type, by its name or by a range such as `text/*`. */
export function allowsType(key: EndpointKey, status: number, type: string): boolean {
  const types = Object.keys(operationOf(key).responses[status]?.content ?? {})
  return types.some((known) => known === type || (known.endsWith('/*') && type.startsWith(known.slice(0, -1))))
}

function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' && typeof member === 'string' ? member.replace(/^#/, 'api#') : absolute(member),
    ]),
  )
}
