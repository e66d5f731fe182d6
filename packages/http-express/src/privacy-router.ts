import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PrivacyService } from '@habeas/core'
import {
  type Authorized,
  type CallBody,
  checkOptions,
  type HttpAnswer,
  type HttpCall,
  type HttpInterfaceOptions,
  httpInterface,
} from '@habeas/http'

/** The members of a request of Express 4 or 5 that are used. */
export interface ExpressRequest extends IncomingMessage {
  /** Where the router is mounted. */
  readonly baseUrl?: string
  /** The body as a body parser in front of the router has parsed it. */
  readonly body?: unknown
  /** Depends on the app's `trust proxy`, as `ip` does. */
  readonly protocol?: string
  readonly ip?: string | undefined
}

export type ExpressResponse = ServerResponse

export type PrivacyRouter = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

export interface PrivacyRouterOptions extends Pick<HttpInterfaceOptions, 'onError' | 'bodyLimits' | 'openIntake'> {
  /**
   * The address of the mount as clients see it, such as `https://example.com/privacy`, for links and metadata. Default:
   * what the request says.
   */
  readonly baseUrl?: string
  /**
   * The host's own login. It returns the scopes of a caller that the host has logged in, and may add a name for the audit
   * trail. It returns `undefined` for everybody else, whose calls then need an access token. An error that it throws goes to
   * `next(error)`, as the cause of an error that says nothing to the caller.
   */
  authorize?(request: ExpressRequest): Authorized | Promise<Authorized>
}

/**
 * Creates the whole interface as middleware for Express 4.18 and later, under any prefix: `app.use('/privacy', router)`.
 * It works with and without body parsers in front. Unknown paths go to `next()`, and unexpected errors to `next(error)`.
 */
export function createPrivacyRouter(privacy: PrivacyService, options: PrivacyRouterOptions = {}): PrivacyRouter {
  checkOptions('createPrivacyRouter', privacy, options, ['openIntake', 'onError', 'authorize', 'bodyLimits', 'baseUrl'])
  const { baseUrl: mount, authorize, ...rest } = options
  const { knows, answer } = httpInterface(privacy, { ...rest, unexpected: 'throw' })
  const baseUrl = mount?.replace(/\/+$/, '')

  return (request, response, next) => {
    const [path = '', search] = split(request.url ?? '/')
    if (!knows(path)) return next()
    const left = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) left.abort()
    })
    const call = callOf(request, { path, search, baseUrl, signal: left.signal, authorize })
    answer(call)
      .then((answered) => write(answered, response, left.signal))
      .catch((error) => {
        const isAlone = left.signal.aborted
        // A broken answer must not look whole, even if the host would end it properly.
        if (isAlone || response.headersSent) response.destroy()
        if (!isAlone) next(error)
      })
  }
}

interface Place {
  readonly path: string
  readonly search: string
  readonly baseUrl: string | undefined
  readonly signal: AbortSignal
  readonly authorize: PrivacyRouterOptions['authorize']
}

function callOf(request: ExpressRequest, { path, search, baseUrl, signal, authorize }: Place): HttpCall {
  return {
    method: request.method ?? 'GET',
    path,
    search,
    get baseUrl() {
      const { protocol = 'http', headers } = request
      return baseUrl ?? `${protocol}://${headers.host ?? 'localhost'}${request.baseUrl ?? ''}`
    },
    header(name) {
      const value = request.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: bodyOf(request),
    signal,
    address: request.ip,
    login: authorize && (() => authorize(request)),
  }
}

function bodyOf(request: ExpressRequest): CallBody {
  const { headers, body } = request
  if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) return { kind: 'none' }
  // A parser that has read nothing may leave an empty object as the body.
  if (!request.readableDidRead) return { kind: 'bytes', bytes: bytesOf(request) }
  const isText = typeof body === 'string' || body instanceof Uint8Array
  return isText ? { kind: 'bytes', bytes: single(Buffer.from(body as string)) } : { kind: 'parsed', value: body }
}

/** Reads a body. The connection ends with a body that is not read to its end, since the rest would look like the next call. */
function bytesOf(request: ExpressRequest): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = request[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
      return {
        next: () => pieces.next(),
        async return() {
          request.socket.destroy()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Writes no faster than the client reads, and ends the source when the client leaves. */
async function write({ status, headers, body }: HttpAnswer, response: ExpressResponse, signal: AbortSignal) {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    const length = body === undefined ? undefined : Buffer.byteLength(body)
    response.writeHead(status, { ...headers, ...(length !== undefined && { 'content-length': length }) })
    response.end(body)
    return
  }
  response.writeHead(status, headers)
  for await (const piece of body) {
    signal.throwIfAborted()
    // The piece is copied, because its writer may use the memory again.
    if (!response.write(Buffer.from(piece))) await once(response, 'drain', { signal })
  }
  response.end()
}

function split(url: string): readonly [path: string, search: string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)]
}
