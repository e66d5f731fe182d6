import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Mail } from '@habeas/core'
import { accountOf } from './chaos-shop.js'

/** The token with which a request goes on that its webhook has halted. */
export interface Halted {
  readonly person: number
  readonly id: string
  readonly token: string
}

export interface OutsideOptions {
  /** Whether the receiver halts the request of a person, and answers later. */
  readonly halts: (person: number) => boolean
  readonly onHalted: (halted: Halted) => void
}

const personOf = (email: string) => Number(email.match(/^person(\d+)@/)?.[1])

/** The mail server and the receiver of webhooks, both of which may be away. A receiver knows the account of each person. */
export async function openOutside({ halts, onHalted }: OutsideOptions) {
  /** Message-IDs by person and kind. */
  const mails = new Map<string, Set<string>>()
  const codes = new Map<number, string>()
  /** Idempotency keys by request and phase. */
  const calls = new Map<string, Set<string>>()
  const halted = new Set<string>()
  const note = (all: Map<string, Set<string>>, key: string, value: string) =>
    all.set(key, (all.get(key) ?? new Set()).add(value))
  let isAway = false

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (isAway) return void response.writeHead(503).end()
    const body = JSON.parse(Buffer.concat(parts).toString())
    if (request.url === '/mail') {
      const { to, kind, messageId, text } = body as Mail
      note(mails, `${personOf(to)} ${kind}`, messageId)
      if (kind === 'identity_verification') codes.set(personOf(to), text.match(/\b\d{6}\b/)?.[0] ?? '')
      return void response.end()
    }
    const { privacy_request_id: id, callback_type: phase, identities } = body
    const person = personOf(identities[0].email)
    note(calls, `${person} ${phase}`, String(request.headers['idempotency-key']))
    const token = request.headers['reply-to-token']
    if (token === undefined || !halts(person))
      return void response.end(JSON.stringify({ derived_identity: { account: accountOf(person) } }))
    response.end(JSON.stringify({ halt: true }))
    if (!halted.has(id)) onHalted({ person, id, token: String(token) })
    return void halted.add(id)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const numbersOf = (all: Map<string, Set<string>>, person: number) =>
    Object.fromEntries(
      [...all].flatMap(([key, { size }]) =>
        key.startsWith(`${person} `) ? [[key.split(' ')[1] as string, size]] : [],
      ),
    )
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    codeFor: (person: number) => codes.get(person),
    /** How many different mails of each kind a person got, and how many different calls of each phase there were. */
    told: (person: number) => ({ mails: numbersOf(mails, person), calls: numbersOf(calls, person) }),
    leave() {
      isAway = true
    },
    comeBack() {
      isAway = false
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
