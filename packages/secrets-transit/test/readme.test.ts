import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import * as core from '@habeas/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { type TransitSecretsOptions, transitSecrets } from '../src/index.js'
import { policyLines } from '../src/transit-failure.js'
import { readOptions } from '../src/transit-options.js'
import { startTransitDouble } from './transit-double.js'

const page = new URL('../README.md', import.meta.url)
let double: Awaited<ReturnType<typeof startTransitDouble>>
beforeAll(async () => {
  double = await startTransitDouble()
})
afterAll(() => double.stop())

it('runs as it stands, except for the address of the server', async () => {
  const key = await double.makeKey()
  const [code = '', ...more] = await readmeExamples(page)
  expect(more).toEqual([])
  const statuses: string[] = []
  await runExample(`${code}\nstatuses.push(status)`, {
    ...core,
    transitSecrets: (options: TransitSecretsOptions) => transitSecrets({ ...options, address: double.address, key }),
    process: { env: { VAULT_TOKEN: double.token } },
    connectors: [],
    email: 'ann@example.com',
    statuses,
  })
  expect(statuses).toEqual(['complete'])
  // The key-check, the key for hashes and the data key, each sealed and opened, and the key itself looked at once.
  expect(double.requests.length).toBeLessThan(12)
})

it('has the policy that the error names, and every option', async () => {
  const text = await readFile(page, 'utf8')
  const policy = policyLines({ mount: 'transit', key: 'habeas' })
  for (const place of [text, await readFile(new URL('../../../docs/keys.md', import.meta.url), 'utf8')]) {
    expect(place.replaceAll('\n', ' ')).toContain(policy)
  }
  const named = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  const options = readOptions({ address: 'https://a.example', token: 't', key: 'k', namespace: 'n' })
  expect(named.sort()).toEqual(Object.keys(options).sort())
})

it('has a port for moving there that opens what lies under the key of before', async () => {
  const examples = await readmeExamples(new URL('../../../docs/keys.md', import.meta.url))
  const moving = examples.find((code) => code.includes('isThere')) ?? ''
  const key = await double.makeKey()
  const encryptionKey = Buffer.alloc(32, 7).toString('base64')
  const made: { before?: core.Secrets; after?: core.Secrets; secrets?: core.Secrets } = {}
  await runExample(`${moving}\nObject.assign(made, { before, after, secrets })`, {
    aesSecrets: core.aesSecrets,
    transitSecrets: (options: TransitSecretsOptions) => transitSecrets({ ...options, key }),
    process: {
      env: { HABEAS_ENCRYPTION_KEY: encryptionKey, VAULT_ADDR: double.address, VAULT_TOKEN: double.token },
    },
    made,
  })
  const storage = core.memoryStorage()
  const start = (secrets: core.Secrets) => core.createPrivacyService({ storage, secrets })
  const { before, after, secrets } = made as Required<typeof made>
  const first = core.createPrivacyService({ storage, encryptionKey })
  await first.connections.put({ key: 'shop', connectionType: 'postgres' })
  await first.connections.setSecrets('shop', { url: 'postgres://localhost/shop' }, { verify: false })
  const both = start({ seal: before.seal, open: secrets.open })
  await both.requests.evidenceKey()
  const moved = start(secrets)
  expect(await moved.rotateSecrets()).toMatchObject({ resealed: 3, unreadable: 0 })
  expect(await moved.rotateSecrets()).toMatchObject({ resealed: 0, alreadyCurrent: 3 })
  const last = start(after)
  await last.connections.setSecrets('shop', { port: 5433 }, { merge: true, verify: false })
  expect(await last.health()).toMatchObject({ secrets: 'healthy' })
  for (const service of [first, both, moved, last]) await service.close()
})
