import { invalidInput, isPrivacyError, PrivacyError, type PrivacyService, type UsedScope } from '@habeas/core'
import { bearerToken, isReplyToken } from './bearer-token.js'
import { fromWire, withBody } from './body-input.js'
import { type Access, type Endpoint, type Endpoints, isAnswer, type ScopesOrElse, scopesOf } from './endpoint.js'
import { clientCaller, type EndpointCaller, hostCaller } from './endpoint-caller.js'
import { endpoints } from './endpoint-table.js'
import type { HttpAnswer, HttpCall } from './http-call.js'
import { oauthErrorAnswer } from './oauth-error-answer.js'
import { isBulk } from './one-or-many.js'
import { readQuery } from './parameters.js'
import { httpError, isUnexpected, problemAnswer } from './problem.js'
import { drainBytes } from './read-bytes.js'
import { type BodyLimits, defaultLimits, mediaTypeOf, readJson } from './read-json.js'
import { type Route, routes } from './routes.js'

export interface HttpInterfaceOptions {
  /**
   * True: anybody may submit a request, verify it and ask for another code, as a privacy centre does, and sees its id and
   * status only. Requires that addresses are verified.
   */
  readonly openIntake?: boolean
  /** `throw`: an unexpected error is thrown for the framework to handle, instead of being answered with 500. */
  readonly unexpected?: 'answer' | 'throw'
  /** Is called with every error that the answer does not explain. Default: it writes a line without the message to stderr. */
  readonly onError?: (error: unknown) => void
  /** Bytes that bodies may have; larger ones are 413. */
  readonly bodyLimits?: BodyLimits
}

const table = endpoints as Endpoints
const find = routes(table)

/**
 * The whole interface as a function from calls to answers, for skins to translate to: see `createHttpHandler`. An answer
 * is always given, also when something fails, unless `unexpected` says otherwise.
 */
export function httpInterface(privacy: PrivacyService, options: HttpInterfaceOptions = {}) {
  const { onError = tellOperator, unexpected = 'answer', openIntake = false } = options
  const limits = { ...defaultLimits, ...options.bodyLimits }
  if (openIntake && !privacy.requests.verificationRequired) {
    const message =
      "Option 'openIntake' needs verified addresses: set execution.subjectIdentityVerificationRequired of createPrivacyService."
    throw new PrivacyError('misconfigured', message, { option: 'openIntake' })
  }

  async function answerCall(call: HttpCall): Promise<HttpAnswer> {
    const route = find(call.path)
    if (!route) {
      const message = 'There is nothing under this path: /api/v1/openapi.json lists what there is.'
      return sealed(call, problemAnswer(new PrivacyError('not_found', message, { kind: 'path', id: '' })))
    }
    const endpoint = endpointFor(route, call.method)
    try {
      const answered = sealed(call, await answerRoute(privacy, call, route, endpoint, { limits, onError, openIntake }))
      return unexpected === 'throw' ? answered : { ...answered, ...watched(answered.body, onError) }
    } catch (error) {
      if (isUnexpected(error) && !call.signal.aborted) {
        if (unexpected === 'throw') throw error
        onError(error)
      }
      return sealed(call, endpoint?.errors === 'oauth' ? oauthErrorAnswer(error) : problemAnswer(error))
    }
  }

  return {
    /** Whether the table has the path, with any verb. */
    knows: (path: string): boolean => find(path) !== undefined,
    async answer(call: HttpCall): Promise<HttpAnswer> {
      try {
        return await answerCall(call)
      } finally {
        // The answer goes first: it does not wait for the rest of the body, which may never come.
        setImmediate(() => void drainBytes(call.body))
      }
    },
  }
}

export type HttpInterface = ReturnType<typeof httpInterface>

function endpointFor(route: Route<Endpoint>, method: string): Endpoint | undefined {
  return route.values.get(method) ?? (method === 'HEAD' ? route.values.get('GET') : undefined)
}

interface AnswerOptions extends Required<Pick<HttpInterfaceOptions, 'onError' | 'openIntake'>> {
  readonly limits: Required<BodyLimits>
}

/** The order of checks is part of the interface: path, verb, token, scope, size, media type, JSON, schema, state. */
async function answerRoute(
  privacy: PrivacyService,
  call: HttpCall,
  route: Route<Endpoint>,
  endpoint: Endpoint | undefined,
  { limits, onError, openIntake }: AnswerOptions,
): Promise<HttpAnswer> {
  if (!endpoint) throw wrongVerb(route)
  const caller = await callerOf(privacy, call, endpoint, openIntake)
  const need = (...scopes: readonly UsedScope[]) => refuseMissing(caller, scopes)
  if (caller) need(...(scopesOf(endpoint.access) ?? []))
  const limit = limits[endpoint.body?.size ?? 'ordinary']
  const body = await bodyOf(call, endpoint, limit)
  const query = readQuery(endpoint.query ?? {}, call.search)
  const { what, names = {} } = endpoint.body ?? {}
  const perform = (input: never) =>
    endpoint.action({
      privacy,
      path: route.parameters as Parameters<Endpoint['action']>[0]['path'],
      query,
      body,
      input,
      limit,
      caller,
      by: { caller: caller?.name ?? 'subject' },
      http: call,
      endpoints: table,
      need,
      report: onError,
    })
  const result = await (what === undefined
    ? perform(undefined as never)
    : withBody(what, fromWire(body, names), perform))
  if (isAnswer(result)) return result
  if (result === undefined) return { status: endpoint.status ?? 204, headers: {} }
  return {
    status: isBulk(result) ? 200 : (endpoint.status ?? 200),
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(result),
  }
}

/**
 * The caller, or undefined where the call needs none. A single source decides what a caller may do: the host, or an access
 * token where the host does not know the caller.
 */
async function callerOf(
  privacy: PrivacyService,
  call: HttpCall,
  { access }: Endpoint,
  openIntake: boolean,
): Promise<EndpointCaller | undefined> {
  if (typeof access === 'string' || hasLinkToken(access, call)) return undefined
  const loggedIn = await hostCaller(call)
  if (loggedIn) return loggedIn
  if (isLetIn(access, call, openIntake)) return undefined
  return clientCaller(await privacy.tokens.verify(bearerToken(call, 'access')))
}

function hasLinkToken(access: Access, call: HttpCall): boolean {
  return isOrElse(access, 'link token') && new URLSearchParams(call.search).has('token')
}

/** Whether the call needs no access token. A token that is sent nevertheless is checked. */
function isLetIn(access: Access, call: HttpCall, openIntake: boolean): boolean {
  // The action checks the reply token. Without any token, nothing is read.
  if (isOrElse(access, 'reply token')) return isReplyToken(bearerToken(call, 'either'))
  return isOrElse(access, 'open intake') && openIntake && call.header('authorization') === undefined
}

function isOrElse(access: Access, kind: ScopesOrElse['orElse']): boolean {
  return typeof access === 'object' && 'orElse' in access && access.orElse === kind
}

function wrongVerb(route: Route<Endpoint>) {
  const verbs = [...route.values.keys()].flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb]))
  const allow = verbs.sort().join(', ')
  return httpError('method_not_allowed', `This path does not take the method: use ${allow}.`, { headers: { allow } })
}

function refuseMissing(caller: EndpointCaller | undefined, scopes: readonly UsedScope[]): void {
  const missing = scopes.filter((scope) => !caller?.scopes.includes(scope))
  if (missing.length === 0) return
  const list = missing.join(' ')
  const named = `the scope '${missing.join("', '")}'`
  const message = caller
    ? caller.clientId === undefined
      ? `Your login lacks ${named}: the application that you are logged in to decides who has it.`
      : `The access token lacks ${named}: ask for a token of a client that has it.`
    : `This needs an access token with ${named}: send one, or leave out what asks for it.`
  throw new PrivacyError('forbidden', message, { scope: list })
}

async function bodyOf(call: HttpCall, endpoint: Endpoint, limit: number): Promise<unknown> {
  if (call.method === 'GET' || call.method === 'HEAD') return undefined
  const { body } = endpoint
  if (body?.raw) return void mediaTypeOf(call, body.types ?? ['json'])
  const value = await readJson(call, limit)
  if (body) {
    if (value !== undefined || body.optional) return value
    throw invalidInput('body', [{ loc: ['body'], msg: 'is required', type: 'missing' }])
  }
  if (value === undefined || value === null || isEmptyObject(value)) return undefined
  throw invalidInput('body', [{ loc: ['body'], msg: 'must be empty', type: 'unknown_member' }])
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

/** Adds headers for proxies and browsers to every answer. HEAD gets everything except the body. */
function sealed(call: HttpCall, { status, headers, body }: HttpAnswer): HttpAnswer {
  const safe = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers }
  if (call.method !== 'HEAD' || body === undefined)
    return { status, headers: safe, ...(body !== undefined && { body }) }
  return { status, headers: safe }
}

/** Reports a body that breaks off, since its answer has begun already. */
function watched(body: HttpAnswer['body'], report: (error: unknown) => void): Pick<HttpAnswer, 'body'> {
  if (typeof body !== 'object' || body instanceof Uint8Array) return {}
  return { body: told(body, report) }
}

async function* told(body: AsyncIterable<Uint8Array>, report: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    report(error)
    throw error
  }
}

/** Writes where an error arose. Its message may hold text of a database and is left out, unless it is about an option. */
function tellOperator(error: unknown): void {
  const { name, stack = '' } = error instanceof Error ? error : new Error('not an error')
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const said = isPrivacyError(error, 'misconfigured') ? `: ${error.message}` : ''
  const lines = [stack, cause?.stack ?? ''].flatMap((text) => text.split('\n').filter((line) => /^\s+at /.test(line)))
  process.stderr.write(`habeas: ${cause?.name ?? name} while answering over HTTP${said}\n${lines.join('\n')}\n`)
}
