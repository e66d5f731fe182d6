import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { URL } from 'node:url'
import { secretsContract } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { aesSecrets, isPrivacyError, memoryStorage, PrivacyError, type Secrets } from '../src/index.js'
import { createPrivacyService } from '../src/service.js'

const examples = await readmeExamples(new URL('../../../docs/keys.md', import.meta.url))
const exampleWith = (words: string) => examples.find((code) => code.includes(words)) ?? ''

interface KeyService {
  encrypt(plaintext: Uint8Array, context: string): Promise<Uint8Array>
  decrypt(ciphertext: Uint8Array, context: string): Promise<Uint8Array | undefined>
}

/** A key service of a cloud, as far as the example sees of it. Azure's binds no context. */
function keyService(ring: Secrets, { bindsContext }: { readonly bindsContext: boolean }): KeyService {
  const bound = (context: string) => (bindsContext ? context : '')
  return {
    async encrypt(plaintext, context) {
      if (plaintext.length > 446) throw new Error('longer than the service takes')
      return ring.seal(plaintext, bound(context))
    },
    decrypt: (ciphertext, context) =>
      ring.open(ciphertext, bound(context)).catch((error) => {
        if (isPrivacyError(error, 'internal')) return undefined
        throw error
      }),
  }
}

const made: { cloudSecrets?: (service: KeyService) => Secrets } = {}
await runExample(`${exampleWith('cloudSecrets')}\nmade.cloudSecrets = cloudSecrets`, {
  ...{ createCipheriv, createDecipheriv, randomBytes, PrivacyError, made },
})
const cloudSecrets = made.cloudSecrets as (service: KeyService) => Secrets

for (const bindsContext of [true, false]) {
  describe(`the port over a key service that ${bindsContext ? 'binds' : 'takes no'} context`, () => {
    const key = () => randomBytes(32).toString('base64')
    const over = (ring: Secrets) => cloudSecrets(keyService(ring, { bindsContext }))
    secretsContract(it, () => {
      const older = key()
      return {
        secrets: over(aesSecrets({ keys: { older } })),
        rotated: over(aesSecrets({ keys: { older, newer: key() }, current: 'newer' })),
        stranger: over(aesSecrets({ keys: { older: key() } })),
      }
    })
  })
}

it('lets an error of the service through', async () => {
  const away = new PrivacyError('unavailable', 'The key service is away.')
  const ring = aesSecrets({ keys: randomBytes(32).toString('base64') })
  const service = keyService(ring, { bindsContext: true })
  const sealed = await cloudSecrets(service).seal(Buffer.from('a'), 'context')
  const failing = cloudSecrets({ ...service, decrypt: () => Promise.reject(away) })
  await expect(failing.open(sealed, 'context')).rejects.toBe(away)
})

it('has a rotation that runs as it stands', async () => {
  const storage = memoryStorage()
  const env = {
    HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HABEAS_ENCRYPTION_KEY_2: randomBytes(32).toString('base64'),
  }
  const first = createPrivacyService({ storage, encryptionKey: env.HABEAS_ENCRYPTION_KEY })
  await first.requests.evidenceKey()
  await first.close()
  const said: unknown[] = []
  await runExample(`${exampleWith('rotateSecrets')}\nsaid.push(resealed, unreadable)\nawait privacy.close()`, {
    aesSecrets,
    createPrivacyService: (options: object) => createPrivacyService({ ...options, storage }),
    process: { env },
    connectors: [],
    said,
  })
  expect(said).toEqual([2, 0])
})
