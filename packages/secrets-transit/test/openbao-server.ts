import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { serverProgram } from '../../../scripts/kinds.js'
import { freePort } from '../../core/test/fixtures/free-port.js'
import type { TransitUnderTest } from './transit-under-test.js'

/**
 * A real OpenBao with a transit engine of its own: one that is started here in dev mode, where its program is at OPENBAO_BIN or on
 * PATH, and else the one at OPENBAO_ADDR.
 */
export async function openOpenBao(): Promise<TransitUnderTest & { stop(): Promise<void> }> {
  const program = serverProgram('openbao')
  const started = program === undefined ? undefined : await startDevServer(program)
  const address = started?.address ?? process.env['OPENBAO_ADDR']
  const token = started?.token ?? process.env['OPENBAO_TOKEN']
  if (!address || !token) throw new Error('Set OPENBAO_BIN, or OPENBAO_ADDR and OPENBAO_TOKEN.')

  async function ask(method: string, path: string, body?: object): Promise<{ readonly [name: string]: unknown }> {
    const response = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': token ?? '' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const newName = () => `habeas-test-${randomUUID()}`
  // An engine that is there already is taken as it is.
  const mounts = await ask('GET', 'sys/mounts')
  if (!('transit/' in mounts)) await ask('POST', 'sys/mounts/transit', { type: 'transit' })

  return {
    address,
    token,
    async makeKey(type = 'aes256-gcm96') {
      const key = newName()
      await ask('POST', `transit/keys/${key}`, { type, exportable: true, allow_plaintext_backup: true })
      return key
    },
    async copyKey(key) {
      const { data } = await ask('GET', `transit/backup/${key}`)
      const copy = newName()
      await ask('POST', `transit/restore/${copy}`, data as object)
      return copy
    },
    async rotate(key) {
      await ask('POST', `transit/keys/${key}/rotate`)
    },
    async retire(key, before) {
      await ask('POST', `transit/keys/${key}/config`, { min_decryption_version: before })
    },
    async tokenWith(policy) {
      const name = newName()
      await ask('POST', `sys/policies/acl/${name}`, { policy })
      const { auth } = await ask('POST', 'auth/token/create', { policies: [name], ttl: '10m' })
      return (auth as { readonly client_token: string }).client_token
    },
    ...(started && {
      seal: async () => void (await ask('PUT', 'sys/seal')),
      unseal: async () => void (await ask('PUT', 'sys/unseal', { key: started.unsealKey })),
    }),
    async stop() {
      await started?.stop()
    },
  }
}

/** In memory, for this process alone. */
async function startDevServer(program: string) {
  const token = randomUUID()
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const flags = ['-dev', '-dev-no-store-token', `-dev-root-token-id=${token}`, `-dev-listen-address=127.0.0.1:${port}`]
  const child = spawn(program, ['server', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  const unsealKey = await saidBy(child, /Unseal Key: (\S+)/)
  process.once('exit', () => child.kill())
  return {
    address,
    token,
    unsealKey,
    async stop() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

/** Waits until the program has said this. */
async function saidBy(child: ChildProcess, words: RegExp): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      const found = words.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`OpenBao ended: ${said}`)))
  })
}
