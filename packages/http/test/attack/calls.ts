import { endpoints, type HttpAnswer, httpInterface } from '@habeas/http'
import { type Sample, samples } from './samples.js'
import { type AttackedWorld, origin, root } from './world.js'

export type EndpointKey = keyof typeof samples
const endpointKeys = Object.keys(endpoints) as EndpointKey[]

export interface Target {
  readonly key: EndpointKey
  readonly verb: string
  /** With names of parameters in braces. */
  readonly template: string
  readonly sample: Sample
  readonly isOpen: boolean
  readonly isOAuthForm: boolean
  readonly limit: number
  readonly takesBody: boolean
}

export function targetOf(key: EndpointKey): Target {
  const [verb = '', template = ''] = key.split(' ')
  const { access, errors, body } = endpoints[key] as {
    access: string | { orElse?: string }
    errors?: string
    body?: { size?: string }
  }
  return {
    key,
    verb,
    template,
    sample: samples[key],
    isOpen: typeof access === 'string' || access.orElse === 'reply token',
    isOAuthForm: errors === 'oauth',
    limit: (body?.size === 'document' ? 16 : 1) * 1024 * 1024,
    takesBody: body !== undefined,
  }
}

export const targets = endpointKeys.map(targetOf)

/** The sample's path; `other` stands in for one parameter, as it is. */
export function pathOf(
  { template, sample }: Target,
  world: AttackedWorld,
  other: Readonly<Record<string, string>> = {},
) {
  return template.replace(/\{(.+?)\}/g, (_, name: string) => {
    const given = other[name] ?? sample.path?.[name]
    return typeof given === 'function' ? given(world) : (given ?? 'missing')
  })
}

function headersFor({ isOpen, sample }: Target, world: AttackedWorld): Record<string, string> {
  if (sample.bearer) return { authorization: `Bearer ${sample.bearer(world)}` }
  return isOpen ? {} : { authorization: `Bearer ${world.token}` }
}

export interface Variation {
  /** As a server hands it on: nothing in it is made canonical. */
  readonly path?: string
  readonly query?: string | undefined
  /** Sent as it is; `body` is made JSON. */
  readonly raw?: string | Uint8Array | ReadableStream<Uint8Array>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** Calls an endpoint as its sample does, but for what is varied. */
export function callSample(target: Target, world: AttackedWorld, variation: Variation = {}): Promise<Response> {
  const { sample, verb } = target
  const { method = verb, path, query = sample.query } = variation
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const made = 'body' in variation ? variation.body : sample.body
  const raw = variation.raw ?? (made === undefined ? undefined : JSON.stringify(made))
  const headers = { 'content-type': 'application/json', ...headersFor(target, world), ...variation.headers }
  const body = hasBody && raw !== undefined ? raw : undefined
  const search = query ? `?${query}` : ''
  if (path !== undefined) return callAsWritten(world, { method, path, search, headers, body })
  return world.call(`${pathOf(target, world)}${search}`, { method, headers, ...(body !== undefined && { body }) })
}

interface WrittenCall {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | undefined
}

async function callAsWritten(
  world: AttackedWorld,
  { method, path, search, headers, body }: WrittenCall,
): Promise<Response> {
  const { answer } = httpInterface(world.privacy, { onError: (error) => void world.unforeseen.push(error) })
  const answered = await answer({
    method,
    path,
    search,
    baseUrl: origin,
    signal: new AbortController().signal,
    header: (name) => headers[name.toLowerCase()],
    body:
      body === undefined
        ? { kind: 'none' }
        : { kind: 'bytes', bytes: new Response(body as string).body as ReadableStream<Uint8Array> },
  })
  const { status, headers: answerHeaders, body: answerBody } = answered
  return new Response(await wholeOf(answerBody), { status, headers: { ...answerHeaders } })
}

async function wholeOf(body: HttpAnswer['body']): Promise<string | Uint8Array<ArrayBuffer> | null> {
  if (body === undefined || typeof body === 'string') return body ?? null
  if (body instanceof Uint8Array) return new Uint8Array(body)
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(Buffer.from(piece))
  return new Uint8Array(Buffer.concat(pieces))
}

/** HTTP Basic of the root client. */
export const basic = `Basic ${Buffer.from(`${root.id}:${root.secret}`).toString('base64')}`

/** What is wrong with an answer that should be an error of the interface, or undefined. */
export async function refusalFault(
  { isOAuthForm }: Pick<Target, 'isOAuthForm'>,
  response: Response,
): Promise<string | undefined> {
  const { status } = response
  const text = await response.clone().text()
  if (status < 400 || status > 499) return `answered ${status}: ${text.slice(0, 300)}`
  const type = response.headers.get('content-type') ?? ''
  const form = isOAuthForm && type.startsWith('application/json')
  if (!form && type !== 'application/problem+json') return `is ${type}, not a problem document`
  let value: Record<string, unknown>
  try {
    value = JSON.parse(text)
  } catch {
    return `is not JSON: ${text.slice(0, 300)}`
  }
  if (form) {
    const isForm = typeof value.error === 'string' && typeof value.error_description === 'string'
    return isForm ? undefined : `is no error of OAuth: ${text.slice(0, 300)}`
  }
  const isProblem =
    typeof value.type === 'string' &&
    typeof value.title === 'string' &&
    value.status === status &&
    typeof value.detail === 'string' &&
    value.detail !== '' &&
    typeof value.code === 'string'
  if (!isProblem) return `is no problem document: ${text.slice(0, 300)}`
  if (status === 422 && !(Array.isArray(value.errors) && value.errors.length > 0)) return 'names no place'
  return undefined
}
