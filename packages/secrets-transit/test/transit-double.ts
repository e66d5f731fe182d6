import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TransitUnderTest } from './transit-under-test.js'

interface DoubledKey {
  readonly type: string
  readonly versions: Buffer[]
  oldest: number
}

interface Asked {
  readonly ciphertext?: string
  readonly plaintext?: string
  readonly associated_data?: string
}

/** A request that the double got. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Asked
}

const refused = (status: number, words = '') => Object.assign(new Error(words), { status })

const bytesOf = (text = '') => Buffer.from(text, 'base64')

/**
 * A server that answers as the transit engine of OpenBao does, in its words, and refuses what that refuses: another token,
 * another context, an unknown key or version, and everything while it is sealed. It makes a key that it is asked to encrypt
 * with, as the real one does for a token that may.
 */
export async function startTransitDouble() {
  const keys = new Map<string, DoubledKey>()
  const requests: SeenRequest[] = []
  /** The lines of the policy of each token. */
  const tokens = new Map<string, string>([['root-token', 'all']])
  let isSealed = false
  let instead: ((response: ServerResponse) => void) | undefined
  let names = 0

  const newKey = (type = 'aes256-gcm96'): DoubledKey => ({ type, versions: [randomBytes(32)], oldest: 1 })

  function encrypt(name: string, { plaintext, associated_data: context }: Asked) {
    const key = keys.get(name) ?? newKey()
    keys.set(name, key)
    if (context !== undefined && key.type !== 'aes256-gcm96') {
      throw refused(400, `'[0].associated_data' provided for non-AEAD cipher suite ${key.type}`)
    }
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key.versions.at(-1)!, nonce).setAAD(bytesOf(context))
    const bytes = Buffer.concat([nonce, cipher.update(bytesOf(plaintext)), cipher.final(), cipher.getAuthTag()])
    return { ciphertext: `vault:v${key.versions.length}:${bytes.toString('base64')}` }
  }

  function decrypt(name: string, { ciphertext = '', associated_data: context }: Asked) {
    const key = keys.get(name)
    if (!key) throw refused(400, 'encryption key not found')
    const [, digits, encoded] = /^vault:v(\d+):(.*)$/s.exec(ciphertext) ?? []
    if (digits === undefined) throw refused(400, 'invalid ciphertext: no prefix')
    // As of old: version 0 is the first.
    const version = Number(digits) || 1
    const secret = key.versions[version - 1]
    if (!secret) throw refused(400, 'invalid ciphertext: version is too new')
    if (version < key.oldest) throw refused(400, 'ciphertext or signature version is disallowed by policy (too old)')
    const bytes = bytesOf(encoded)
    try {
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAAD(bytesOf(context))
      decipher.setAuthTag(bytes.subarray(-16))
      const plaintext = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
      return { plaintext: plaintext.toString('base64') }
    } catch {
      throw refused(400, 'cipher: message authentication failed')
    }
  }

  function answer({ method, path, headers, body }: SeenRequest): object {
    if (isSealed) throw refused(503, 'Vault is sealed')
    const policy = tokens.get(String(headers['x-vault-token']))
    if (headers['x-vault-namespace'] !== undefined) throw refused(404, 'namespace not found')
    const [, mount = '', operation = '', name = ''] = /^\/v1\/(.+)\/(encrypt|decrypt|keys)\/([\w.-]+)$/.exec(path) ?? []
    const capability = method === 'GET' ? 'read' : operation === 'encrypt' && !keys.has(name) ? 'create' : 'update'
    const line = `path "${mount}/${operation}/${name}" { capabilities = ["${capability}"] }`
    if (policy !== 'all' && !policy?.includes(line)) throw refused(403, 'permission denied')
    if (mount !== 'transit') {
      throw refused(404, `no handler for route "${mount}/${operation}/${name}". route entry not found.`)
    }
    if (operation === 'encrypt') return encrypt(name, body)
    if (operation === 'decrypt') return decrypt(name, body)
    const key = keys.get(name)
    if (!key) throw refused(404)
    return { type: key.type, latest_version: key.versions.length, derived: key.type.startsWith('derived') }
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url: path = '', headers } = request
    const seen = { method, path, headers, body: text === '' ? {} : JSON.parse(text) }
    requests.push(seen)
    if (instead) return instead(response)
    const send = (status: number, content: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    try {
      send(200, { request_id: 'one', data: answer(seen) })
    } catch (error) {
      const { status, message } = error as ReturnType<typeof refused>
      send(status, { errors: message === '' ? [] : [message] })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  const keyOf = (name: string) => keys.get(name) as DoubledKey
  const named = (key: DoubledKey) => {
    const name = `key-${++names}`
    keys.set(name, key)
    return name
  }
  const transit: Required<TransitUnderTest> = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'root-token',
    makeKey: async (type) => named(newKey(type)),
    copyKey: async (name) => named({ ...keyOf(name), versions: [...keyOf(name).versions] }),
    rotate: async (name) => void keyOf(name).versions.push(randomBytes(32)),
    retire: async (name, before) => {
      keyOf(name).oldest = before
    },
    async tokenWith(policy) {
      const token = `token-${++names}`
      tokens.set(token, policy)
      return token
    },
    seal: async () => {
      isSealed = true
    },
    unseal: async () => {
      isSealed = false
    },
  }
  return {
    ...transit,
    requests,
    deleteKey: (name: string) => void keys.delete(name),
    hasKey: (name: string) => keys.has(name),
    /** Answers each request like this from now on. */
    answerWith(answering: (response: ServerResponse) => void) {
      instead = answering
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
