import { lookup } from 'node:dns/promises'
import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { PrivacyError } from '../errors.js'
import type { WebhookAnswer, WebhookCall, WebhookSender } from '../ports/webhooks.js'
import { isPublicAddress } from './is-public-address.js'

export interface HttpWebhooksOptions {
  /** Allows calls to addresses inside private networks, also over plain http. Default: false. */
  readonly allowPrivateAddresses?: boolean
  /** How long a call may take, from the look-up of the name to the end of the answer. Default: 10. */
  readonly timeoutSeconds?: number
  /** Looks up the addresses of a name. Default: as the system does. */
  readonly resolve?: (host: string) => Promise<readonly Address[]>
}

interface Address {
  readonly address: string
  readonly family: number
}

const longestAnswer = 64 * 1024

const refused = (message: string) => new PrivacyError('connection_failed', message, { reason: 'refused_address' })

/**
 * Calls webhooks with Node's own modules. Each call looks up the address once, checks it, and connects to that address
 * and no other.
 */
export function httpWebhooks({
  allowPrivateAddresses = false,
  timeoutSeconds = 10,
  resolve = (host) => lookup(host, { all: true, verbatim: true }),
}: HttpWebhooksOptions = {}): WebhookSender {
  async function addressesOf(url: URL): Promise<readonly Address[]> {
    const host = bareHost(url)
    const family = isIP(host)
    const found = family === 0 ? await resolve(host) : [{ address: host, family }]
    if (found.length === 0) throw new PrivacyError('connection_failed', unresolved(host), { reason: 'unresolved' })
    const inside = found.some(({ address }) => !isPublicAddress(address))
    if (inside && !allowPrivateAddresses) {
      throw refused(
        `'${host}' resolves to an address that is not public: use another host, or set webhooks.allowPrivateAddresses.`,
      )
    }
    const outside = found.some(({ address }) => isPublicAddress(address))
    if (outside && url.protocol === 'http:') {
      throw refused(`'${host}' is outside the private network, where data must be encrypted: use https.`)
    }
    return found
  }

  return {
    refusal(text) {
      const url = new URL(text)
      if (allowPrivateAddresses) return undefined
      if (url.protocol !== 'https:') return 'must begin with https://, unless webhooks.allowPrivateAddresses is set'
      const host = bareHost(url)
      const isPrivate = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host)
      return isPrivate ? 'must not lead to a private address, unless webhooks.allowPrivateAddresses is set' : undefined
    },

    async send(call, { signal } = {}) {
      const url = new URL(call.url)
      const timeout = new AbortController()
      const timer = setTimeout(() => timeout.abort(), timeoutSeconds * 1_000)
      const ended = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal
      try {
        ended.throwIfAborted()
        const addresses = await unlessEnded(addressesOf(url), ended)
        return await exchange(url, call, addresses, ended)
      } catch (error) {
        signal?.throwIfAborted()
        if (timeout.signal.aborted) {
          const message = `'${url.host}' did not answer within ${timeoutSeconds} seconds.`
          throw new PrivacyError('connection_failed', message, { reason: 'timeout' })
        }
        throw explained(error, url)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Returns the host, IPv6 without its brackets. An IPv4 address has four decimal parts in a URL, however it was written. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function unlessEnded<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

function exchange(
  url: URL,
  { headers, body, readAnswer }: WebhookCall,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const checked: LookupFunction = (_, { all }, found) => {
    const [first] = addresses as [Address]
    if (all) found(null, [...addresses])
    else found(null, first.address, first.family)
  }
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body)
    const own = { 'content-type': 'application/json', accept: 'application/json', 'content-length': bytes.length }
    // Each call opens a connection, because one from elsewhere may lead to an address that was not checked here.
    const options = { method: 'POST', headers: { ...headers, ...own }, agent: false, lookup: checked, signal }
    const call: ClientRequest = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
    call.on('error', reject)
    call.on('response', (response) => {
      const status = response.statusCode ?? 0
      response.on('error', reject)
      if (!readAnswer) {
        resolve({ status, body: '' })
        response.destroy()
        return
      }
      const parts: Buffer[] = []
      let size = 0
      response.on('data', (part: Buffer) => {
        parts.push(part)
        size += part.length
        if (size <= longestAnswer) return
        const message = `'${url.host}' answered with more than ${longestAnswer / 1024} KiB.`
        response.destroy(new PrivacyError('connection_failed', message, { reason: 'too_large' }))
      })
      response.on('end', () => resolve({ status, body: Buffer.concat(parts).toString('utf8') }))
      response.on('close', () => reject(new PrivacyError('connection_failed', `'${url.host}' ended its answer early.`)))
    })
    call.end(bytes)
  })
}

const unresolved = (host: string) => `The name '${host}' does not exist: check it.`

const causes: Readonly<Record<string, (url: URL) => string>> = {
  ENOTFOUND: ({ hostname }) => unresolved(hostname),
  EAI_AGAIN: ({ hostname }) => `The name '${hostname}' could not be looked up: try again later.`,
  ECONNREFUSED: ({ host }) => `Nothing listens at '${host}'.`,
  ECONNRESET: ({ host }) => `'${host}' closed the connection.`,
  EPROTO: ({ host }) => `'${host}' did not complete the TLS handshake.`,
}

/** Returns a failure that says what to correct. Node's own message may repeat what the other side wrote. */
function explained(error: unknown, url: URL): PrivacyError {
  const known = PrivacyError.from(error)
  if (known.code === 'connection_failed') return known
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? '')
  const isTls = /CERT|TLS|SSL/.test(code)
  const otherwise = isTls ? `The certificate of '${url.host}' is not trusted.` : `'${url.host}' could not be reached.`
  const message = causes[code]?.(url) ?? otherwise
  return new PrivacyError(
    'connection_failed',
    message,
    { reason: code.toLowerCase() || 'unreachable' },
    { cause: error },
  )
}
