import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** Where something happens to a statement: before the service gets it, or when it would answer. */
export type Moment = 'before' | 'after'

/** The process is killed, or the connection breaks off and it goes on. */
export type Accident = 'die' | 'cut'

export interface CuttingProxy {
  readonly url: string
  /** Resolves when the service has ended the sessions of who died, as it does with those that nobody asks about. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** A way to the service at `target` that breaks off where it is told to. Statements are numbered as they come. */
export async function cuttingProxy(
  target: string,
  onStatement: (sql: string, moment: Moment, number: number) => Accident | undefined,
): Promise<CuttingProxy> {
  const sessions = new Set<string>()
  // the service runs a request once: who asks again gets its answer
  const answers = new Map<string, Promise<{ status: number; text: string }>>()
  const running = new Set<Promise<unknown>>()
  let isDead = false
  let sent = 0

  async function forward(request: IncomingMessage, body: Buffer): Promise<{ status: number; text: string }> {
    const { authorization, 'content-encoding': encoding } = request.headers
    const answer = await fetch(new URL(request.url!, target), {
      method: request.method!,
      headers: {
        ...(authorization && { authorization }),
        ...(encoding && { 'content-encoding': encoding }),
        'content-type': 'application/json',
      },
      ...(request.method !== 'GET' && { body: new Uint8Array(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  /** What a dead process is told matters to nobody: it is refused, so that its driver does not go on trying. */
  function breakOff(response: ServerResponse, accident: Accident): void {
    if (accident === 'cut') return void response.socket?.destroy()
    isDead = true
    response.writeHead(400).end()
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (isDead) return breakOff(response, 'die')
    const { pathname, searchParams } = new URL(request.url!, target)
    const body = Buffer.concat(chunks)
    const isStatement = pathname === '/queries/v1/query-request'
    const id = searchParams.get('requestId') ?? ''
    const known = isStatement ? answers.get(id) : undefined
    const sql = isStatement && !known ? statementIn(request, body) : undefined
    const number = sql === undefined ? sent : ++sent
    if (sql !== undefined) {
      sessions.add(String(request.headers.authorization))
      const accident = onStatement(sql, 'before', number)
      if (accident) return breakOff(response, accident)
    }
    const answering = known ?? forward(request, body)
    if (isStatement) answers.set(id, answering)
    const { status, text } = await answering
    const accident = sql === undefined ? undefined : onStatement(sql, 'after', number)
    if (accident || isDead) return breakOff(response, accident ?? 'die')
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }

  const server = createServer((request, response) => {
    const answered = answer(request, response).catch(() => request.socket.destroy())
    running.add(answered)
    void answered.then(() => running.delete(answered))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async settled() {
      await Promise.all(running)
      for (const authorization of sessions) {
        await fetch(new URL('/session?delete=true', target), { method: 'POST', headers: { authorization }, body: '{}' })
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function statementIn(request: IncomingMessage, body: Buffer): string {
  const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
  return (JSON.parse(text) as { sqlText: string }).sqlText
}
