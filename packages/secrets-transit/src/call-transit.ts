import { isPrivacyError, PrivacyError } from '@habeas/core'
import * as z from 'zod'
import { refusal, type TransitOperation, unavailable, withoutAnswer } from './transit-failure.js'
import { isToken, type TransitSettings } from './transit-options.js'

const errorsSchema = z.object({ errors: z.array(z.string()) })

/** Asks the engine for one thing. `body` absent: a read. */
export type CallTransit = <Data>(operation: TransitOperation, data: z.ZodType<Data>, body?: object) => Promise<Data>

/**
 * Calls the transit engine over HTTP. Rejects with `unavailable` where it may be better the next time, and else with what a
 * person has to do. No error holds the token or the server's own words.
 */
export function callTransit(settings: TransitSettings): CallTransit {
  const { address, mount, key, namespace, timeoutSeconds } = settings
  const headers = {
    'content-type': 'application/json',
    // An agent that asks for it lets nobody through whom a browser was made to send there.
    'x-vault-request': 'true',
    ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
  }

  return async (operation, data, body) => {
    const token = await tokenOf(settings)
    let answer: Pick<Response, 'status' | 'headers'>
    let text: string
    try {
      const response = await fetch(`${address}/v1/${mount}/${operation}/${key}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, 'x-vault-token': token },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      })
      answer = response
      text = await response.text()
    } catch (error) {
      throw withoutAnswer(operation, error)
    }
    const content = contentOf(text)
    if (answer.status !== 200) {
      const words = errorsSchema.safeParse(content).data?.errors.join(' ') ?? ''
      const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
      const wait = Number.isSafeInteger(seconds) && seconds >= 0 && { retryAfterSeconds: seconds }
      throw refusal({ operation, status: answer.status, words, ...wait }, settings)
    }
    const parsed = z.object({ data }).safeParse(content)
    if (!parsed.success) throw unavailable('other')
    return parsed.data.data
  }
}

async function tokenOf({ token }: TransitSettings): Promise<string> {
  if (typeof token === 'string') return token
  // one that is not async may throw at once, or give a text
  const given: unknown = await (async () => token())().catch((cause: unknown) => {
    throw isPrivacyError(cause) ? cause : unavailable('token', { cause })
  })
  if (isToken(given)) return given.trim()
  const message = "Option 'token' of transitSecrets: the function must return a token, and returned something else."
  throw new PrivacyError('misconfigured', message, { option: 'token' })
}

function contentOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
