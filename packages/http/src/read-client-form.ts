import { type Credentials, type Issue, invalidInput, isPlainObject, PrivacyError } from '@habeas/core'
import type { HttpCall } from './http-call.js'
import { httpError } from './problem.js'
import { readBytes } from './read-bytes.js'
import { checked, decode, mediaTypeOf, parseJson } from './read-json.js'

/** A form of RFC 6749 and the client that sent it. */
export interface ClientForm {
  readonly credentials: Credentials
  /** A parameter that must be there. */
  need(name: string): string
  get(name: string): string | undefined
}

/** Reads a form: url-encoded, multipart or JSON, with the client's credentials in it or as HTTP Basic. */
export async function readClientForm(call: HttpCall, limit: number): Promise<ClientForm> {
  const fields = await readFields(call, limit)
  const get = (name: string): string | undefined => {
    const texts = fields.get(name) ?? []
    if (texts.length > 1) throw refusedParameter(name, 'is given several times')
    return texts[0] === '' ? undefined : texts[0]
  }
  const need = (name: string): string => {
    const text = get(name)
    if (text === undefined) throw refusedParameter(name, 'is required')
    return text
  }
  return { credentials: credentialsOf(call, get), need, get }
}

/** An error about one parameter; `type` may be a word of RFC 6749. */
export function refusedParameter(name: string, msg: string, type = 'invalid_request'): PrivacyError<'invalid_input'> {
  return invalidInput('request', [{ loc: [name], msg, type }] satisfies Issue[])
}

function credentialsOf(call: HttpCall, get: (name: string) => string | undefined): Credentials {
  const { address } = call
  const header = call.header('authorization')
  const [id, secret] = [get('client_id'), get('client_secret')]
  if (header === undefined) {
    if (id !== undefined && secret !== undefined) return { clientId: id, clientSecret: secret, address }
    const message = 'The client ID and the client secret are missing: send them as HTTP Basic or in the body.'
    throw new PrivacyError('unauthenticated', message, { reason: 'invalid_client' })
  }
  const basic = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1]
  const [user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic ?? '', 'base64').toString())?.slice(1) ?? []
  if (user === undefined || password === undefined) {
    const message = 'The Authorization header is no HTTP Basic: send the client ID and the client secret in it.'
    throw new PrivacyError('unauthenticated', message, { reason: 'invalid_client' })
  }
  const clientId = formDecoded(user) ?? user
  if (secret !== undefined || (id !== undefined && id !== clientId && id !== user)) {
    throw refusedParameter('client_id', 'is given in the body and as HTTP Basic: use one of them')
  }
  // RFC 6749 has both encoded as in a form; many clients send them as they are.
  return { clientId, clientSecret: [...new Set([formDecoded(password) ?? password, password])], address }
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

async function readFields(call: HttpCall, limit: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const type = mediaTypeOf(call, ['form', 'json'])
  const bytes = await readBytes(call, limit)
  if (call.body.kind === 'parsed') return fieldsOf(checked(call.body.value))
  if (bytes.byteLength === 0) return new Map()
  if (type === 'json') return fieldsOf(checked(parseJson(decode(bytes))))
  const contentType = call.header('content-type') ?? 'application/x-www-form-urlencoded'
  if (!contentType.toLowerCase().startsWith('multipart/')) return grouped(new URLSearchParams(decode(bytes)))
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw httpError('malformed_body', 'The body is no multipart form: its boundaries do not fit its content type.')
    })
  return grouped([...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])))
}

function grouped(pairs: Iterable<readonly [string, string]>): Map<string, string[]> {
  const fields = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    checked([name, value])
    fields.set(name, [...(fields.get(name) ?? []), value])
  }
  return fields
}

function fieldsOf(value: unknown): Map<string, string[]> {
  if (!isPlainObject(value)) throw refusedParameter('body', 'must be an object')
  const fields = new Map<string, string[]>()
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === undefined) continue
    // A list is what body parsers make of a parameter that is given several times.
    if (typeof member !== 'string') throw refusedParameter(name, 'must be one text')
    fields.set(name, [member])
  }
  return fields
}
