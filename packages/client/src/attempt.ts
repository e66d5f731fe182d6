import { PrivacyError } from '@habeas/core'
import { untilAborted } from './until-aborted.js'

/** The answer to one request, read under the same limits as it was waited for. */
export interface Answer {
  readonly response: Response
  text(): Promise<string>
  /** The bytes as they come, to be asked for once; the call ends with the last, or when the reader stops early. */
  bytes(): AsyncGenerator<Uint8Array>
}

export interface AttemptOptions {
  /** The address of the service, which is no secret. */
  readonly baseUrl: string
  readonly timeoutSeconds: number
  readonly signal: AbortSignal | undefined
}

/**
 * Sends a request and waits for the head of its answer. Rejects with `unavailable` when the service cannot be reached,
 * breaks off or is silent for too long, and with the reason of the signal when that aborts.
 */
export async function attempt(
  send: (signal: AbortSignal) => Promise<Response>,
  { baseUrl, timeoutSeconds, signal }: AttemptOptions,
): Promise<Answer> {
  // Each call has its own signal: one that lives long would collect the listeners of all calls.
  const ending = new AbortController()
  const follow = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', follow, { once: true })
  if (signal?.aborted) follow()
  const release = () => signal?.removeEventListener('abort', follow)

  async function awaited<Result>(work: () => Promise<Result>): Promise<Result> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      ending.abort()
    }, timeoutSeconds * 1000)
    try {
      // Not every function that is handed in as `fetch` looks at the signal.
      return await untilAborted(work(), ending.signal)
    } catch (error) {
      release()
      signal?.throwIfAborted()
      const what = isLate ? `was silent for ${timeoutSeconds} seconds` : 'could not be reached, or broke off its answer'
      throw new PrivacyError(
        'unavailable',
        `The service at ${baseUrl} ${what}: check the address, or try again later.`,
        {},
        { cause: error },
      )
    } finally {
      clearTimeout(timer)
    }
  }

  const response = await awaited(() => send(ending.signal))

  async function* bytes(): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader()
    try {
      for (;;) {
        const { done = true, value } = (await awaited(async () => reader?.read())) ?? {}
        if (done) return
        yield value as Uint8Array
      }
    } finally {
      release()
      // The caller does not wait until the connection is closed.
      reader?.cancel().catch(() => {})
    }
  }

  return {
    response,
    bytes,
    async text() {
      const decoder = new TextDecoder()
      let text = ''
      for await (const piece of bytes()) text += decoder.decode(piece, { stream: true })
      return text + decoder.decode()
    },
  }
}
