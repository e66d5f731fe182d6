import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HeardCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As it came. */
  readonly text: string
  readonly body: {
    readonly privacy_request_id: string
    readonly direction: string
    readonly callback_type: string
    readonly identities: readonly Readonly<Record<string, unknown>>[]
    readonly policy_key: string
    readonly timestamp: string
  }
}

export type ReceiverAnswer = object | number | string | ((response: ServerResponse, call: HeardCall) => void)

/** A real HTTP server that answers each path with what was planned for it, the last plan again and again. */
export async function webhookReceiver() {
  const heard: HeardCall[] = []
  const plans = new Map<string, ReceiverAnswer[]>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const path = request.url ?? ''
    const call = { path, headers: request.headers, text, body: JSON.parse(text) }
    heard.push(call)
    const planned = plans.get(path) ?? []
    const answer = planned.length > 1 ? planned.shift() : (planned[0] ?? {})
    if (typeof answer === 'function') answer(response, call)
    else if (typeof answer === 'number') response.writeHead(answer).end()
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    heard,
    /** Paths in the order in which they were called. */
    paths: () => heard.map(({ path }) => path),
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    /** What a path answers: an object as JSON, a status alone, a text as it is. Without a plan: `{}`. */
    plan: (path: string, ...answers: ReceiverAnswer[]) => void plans.set(path, answers),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type WebhookReceiver = Awaited<ReturnType<typeof webhookReceiver>>
