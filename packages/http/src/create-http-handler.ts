import type { PrivacyService } from '@habeas/core'
import { checkOptions } from './check-options.js'
import type { Authorized } from './host-login.js'
import type { HttpAnswer } from './http-call.js'
import { type HttpInterfaceOptions, httpInterface } from './http-interface.js'

export interface HttpHandlerOptions extends HttpInterfaceOptions {
  /** Path under which the interface is mounted, such as `/privacy`. Default: none. */
  readonly basePath?: string
  /**
   * The host's own login: the scopes of a caller whom the host has logged in, also with a name for the audit trail.
   * `undefined`, for everybody else: the call then needs an access token. An error that it throws is answered with 500.
   */
  authorize?(request: Request): Authorized | Promise<Authorized>
}

/** What a server knows about a call besides the request. */
export interface HttpHandlerContext {
  /** Where the client calls from, for counting failed logins; only from a source that cannot be forged. */
  readonly address?: string
}

/**
 * The whole interface (`specification`, every endpoint) as a fetch handler, for `node:http`, Hono, Next.js and everything
 * else that uses `Request` and `Response`. Answers every request, an unknown path with 404.
 */
export function createHttpHandler(privacy: PrivacyService, options: HttpHandlerOptions = {}) {
  const names = ['openIntake', 'unexpected', 'onError', 'authorize', 'bodyLimits', 'basePath'] as const
  checkOptions('createHttpHandler', privacy, options, names)
  const { answer } = httpInterface(privacy, options)
  const { authorize } = options
  const basePath = (options.basePath ?? '').replace(/\/+$/, '')

  return async (request: Request, { address }: HttpHandlerContext = {}): Promise<Response> => {
    const { origin, pathname, search } = new URL(request.url)
    const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`)
    const { body } = request
    return responseOf(
      await answer({
        method: request.method,
        path: isBelow ? pathname.slice(basePath.length) : '',
        search,
        baseUrl: `${origin}${basePath}`,
        header: (name) => request.headers.get(name) ?? undefined,
        body: body ? { kind: 'bytes', bytes: body } : { kind: 'none' },
        signal: request.signal,
        address,
        login: authorize && (() => authorize(request)),
      }),
    )
  }
}

function responseOf({ status, headers, body }: HttpAnswer): Response {
  if (body === undefined || typeof body === 'string') return new Response(body ?? null, { status, headers })
  return new Response(body instanceof Uint8Array ? new Uint8Array(body) : streamOf(body), { status, headers })
}

/** Asks for the next piece when the last one was taken, and ends the source when the reader stops. */
function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        // A writer may use its memory again.
        else controller.enqueue(value.slice())
      },
      async cancel() {
        await pieces.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
