import { createPrivacyService, scopes } from '@habeas/core'
import { createHttpHandler, type Endpoint, type Endpoints, endpoints, openApiDocument } from '@habeas/http'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it, vi } from 'vitest'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: object }>>

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly securitySchemes: { readonly oauth: { flows: { clientCredentials: { tokenUrl: string; scopes: object } } } }
  }
}

const made = openApiDocument(endpoints as Endpoints, { baseUrl: 'https://example.com/privacy' })
const document = JSON.parse(JSON.stringify(made)) as Document
const table = Object.entries(endpoints as Readonly<Record<string, Endpoint>>)

/** What is asked for, in the words of the document: each of a list stands for the others. */
function securityOf({ access }: Endpoint): object[] {
  if (access === 'open') return []
  if (access === 'client credentials') return [{ client: [] }]
  if (!('orElse' in access)) return [{ oauth: access }]
  const otherwise = { 'open intake': {}, 'link token': { linkToken: [] }, 'reply token': { replyToken: [] } }
  return [{ oauth: access.scopes }, otherwise[access.orElse]]
}

/** Every value below a member of this name. */
function* below(value: unknown, name: string): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (key === name) yield member
    yield* below(member, name)
  }
}

describe('the OpenAPI document', () => {
  it('passes an independent validator', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
  })

  it('leads every reference somewhere within itself', () => {
    const found = [...below(document, '$ref')]
    expect(found.length).toBeGreaterThan(100)
    for (const reference of found) {
      const parts = String(reference).replace(/^#\//, '').split('/')
      const target = parts.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document)
      expect([reference, typeof target]).toEqual([reference, 'object'])
    }
    expect([...below(document, '$defs')]).toEqual([])
  })

  it('has no schema that is not referred to', () => {
    const used = new Set([...below(document, '$ref')].map((reference) => String(reference).split('/').at(-1)))
    expect(Object.keys(document.components.schemas).filter((name) => !used.has(name))).toEqual([])
  })

  it('is plain JSON: nothing in it is undefined, and nothing of the library shows', () => {
    expect(document).toEqual(made)
    expect(JSON.stringify(document)).not.toMatch(/schema:named|"~standard"|"zod"/)
  })

  it('says of the day and the number of days that a database keeps what was erased what they are', () => {
    const { schemas } = document.components
    const shown = (name: string, member: string) => [...below(schemas[name], member)]
    expect(shown('ErasureReceipt', 'kept_until')).toEqual([
      { anyOf: [expect.objectContaining({ type: 'string', format: 'date' }), { type: 'null' }] },
    ])
    expect(shown('Preview', 'kept_days')).toEqual([
      { anyOf: [expect.objectContaining({ type: 'integer' }), { type: 'null' }] },
    ])
  })

  it('gives every operation an id of its own', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map((each) => each.operationId),
    )
    expect(new Set(ids).size).toBe(table.length)
  })

  it('lists every scope with the address of the token endpoint', () => {
    const { tokenUrl, scopes: listed } = document.components.securitySchemes.oauth.flows.clientCredentials
    expect(tokenUrl).toBe('https://example.com/privacy/api/v1/oauth/token')
    expect(Object.keys(listed)).toEqual(scopes.map(({ name }) => name))
  })
})

describe.each(table)('%s', (key, endpoint) => {
  const [verb = '', path = ''] = key.split(' ')
  const operation = document.paths[path]?.[verb.toLowerCase()] as Operation
  const statuses = Object.keys(operation.responses)
  const isOauth = endpoint.errors === 'oauth'

  it('says who may call it', () => {
    expect(operation.security).toEqual(securityOf(endpoint))
    expect(operation.summary).toBe(endpoint.summary)
  })

  it('describes what is sent', () => {
    const names = [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name)
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name, required }) => [name, required])).toEqual(names.map((name) => [name, true]))
    const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    expect(inQuery).toEqual(Object.keys(endpoint.query ?? {}))
    if (!endpoint.body) return expect(operation.requestBody).toBeUndefined()
    expect(operation.requestBody?.required).toBe(endpoint.body.optional !== true)
    expect(Object.keys(operation.requestBody?.content ?? {}).length).toBeGreaterThan(0)
  })

  it('describes what is answered', () => {
    const success = String(endpoint.status ?? (endpoint.result ? 200 : 204))
    const { content } = operation.responses[success] ?? {}
    expect(statuses).toContain(success)
    const { result, resultType = 'application/json', otherTypes = [] } = endpoint
    expect(Object.keys(content ?? {})).toEqual(result ? [resultType, ...otherTypes] : [])
  })

  it('describes what can go wrong', () => {
    const expected = [
      '500',
      '503',
      ...(verb === 'GET' ? [] : ['504']),
      ...(typeof endpoint.access === 'object' ? ['401', '403'] : []),
      ...(typeof endpoint.access === 'object' && 'orElse' in endpoint.access && endpoint.access.orElse === 'open intake'
        ? ['400', '429']
        : []),
      ...(isOauth ? ['400', '401', '413', '429'] : []),
      ...(endpoint.query && !isOauth ? ['422'] : []),
      ...(endpoint.body && !isOauth ? ['400', '413', '415', '422'] : []),
      ...(path.includes('{') ? ['404'] : []),
    ]
    expect(statuses).toEqual(expect.arrayContaining(expected))
    const problems = Object.entries(operation.responses).filter(
      ([status]) => Number(status) >= 400 && !(Number(status) in (endpoint.others ?? {})),
    )
    for (const [, { content = {}, description }] of problems) {
      expect(content).toEqual({
        [isOauth ? 'application/json' : 'application/problem+json']: {
          schema: { $ref: `#/components/schemas/${isOauth ? 'OAuthError' : 'Problem'}` },
        },
      })
      expect(description).not.toBe('')
    }
  })
})

it('is made once for all calls to one address', async () => {
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32, 1).toString('base64') })
  const handle = createHttpHandler(privacy)
  const get = async (host: string) => (await handle(new Request(`http://${host}/api/v1/openapi.json`))).json()
  const made = vi.spyOn(JSON, 'stringify')
  try {
    const first = await get('one')
    const count = made.mock.calls.length
    expect(await get('one')).toEqual(first)
    expect(made.mock.calls.length).toBe(count)
    expect(await get('two')).toEqual({
      ...(first as object),
      servers: [{ url: 'http://two' }],
      components: expect.anything(),
    })
  } finally {
    made.mockRestore()
    await privacy.close()
  }
})
