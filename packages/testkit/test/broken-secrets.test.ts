import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { aesSecrets, PrivacyError, type Secrets } from '@habeas/core'
import { type SecretsUnderTest, secretsContract } from '@habeas/testkit'
import { describe } from 'vitest'
import { foundOut } from './failing-cases.js'

const opened = (): SecretsUnderTest => {
  const older = randomBytes(32).toString('base64')
  return {
    secrets: aesSecrets({ keys: { older } }),
    rotated: aesSecrets({ keys: { older, newer: randomBytes(32).toString('base64') }, current: 'newer' }),
    stranger: aesSecrets({ keys: { older: randomBytes(32).toString('base64') } }),
  }
}

const faulty = (fault: (secrets: Secrets) => Partial<Secrets>) => (): SecretsUnderTest => {
  const { secrets, rotated, stranger } = opened()
  const broken = (sound: Secrets): Secrets => ({ ...sound, ...fault(sound) })
  return { secrets: broken(secrets), rotated: broken(rotated), stranger: broken(stranger) }
}

const failsTo = (failure: (plaintext: Uint8Array | undefined) => unknown) =>
  faulty((secrets) => {
    let last: Uint8Array | undefined
    return {
      seal: (plaintext, context) => {
        last = plaintext
        return secrets.seal(plaintext, context)
      },
      open: (sealed, context) =>
        secrets.open(sealed, context).catch(() => {
          throw failure(last)
        }),
    }
  })

const key = randomBytes(32)
/** Encrypted, but nothing tells whether it was changed. */
const unauthenticated: Secrets = {
  async seal(plaintext) {
    const nonce = randomBytes(16)
    const cipher = createCipheriv('aes-256-ctr', key, nonce)
    return Buffer.concat([nonce, cipher.update(plaintext), cipher.final()])
  },
  async open(sealed) {
    const decipher = createDecipheriv('aes-256-ctr', key, sealed.subarray(0, 16))
    return Buffer.concat([decipher.update(sealed.subarray(16)), decipher.final()])
  },
}

describe('secretsContract', () => {
  foundOut(secretsContract, [
    [
      'ignores the context',
      faulty((secrets) => ({
        seal: (plaintext) => secrets.seal(plaintext, ''),
        open: (sealed) => secrets.open(sealed, ''),
      })),
      'open rejects with internal under another context',
    ],
    [
      'heeds only the beginning of the context',
      faulty((secrets) => ({
        seal: (plaintext, context) => secrets.seal(plaintext, context.slice(0, 10)),
        open: (sealed, context) => secrets.open(sealed, context.slice(0, 10)),
      })),
      'open rejects with internal under another context',
    ],
    [
      'gives the same bytes for the same content',
      faulty((secrets) => {
        const sealed = new Map<string, Promise<Uint8Array>>()
        return {
          seal(plaintext, context) {
            const name = `${context}:${Buffer.from(plaintext).toString('hex')}`
            sealed.set(name, sealed.get(name) ?? secrets.seal(plaintext, context))
            return sealed.get(name)!
          },
        }
      }),
      'seal gives different bytes each time',
    ],
    [
      'does not encrypt',
      faulty((secrets) => ({
        seal: async (plaintext, context) => Buffer.concat([await secrets.seal(plaintext, context), plaintext]),
        open: (sealed, context) => secrets.open(sealed.subarray(0, (sealed.length + 34) / 2), context),
      })),
      'a sealed value does not show its content',
    ],
    [
      'does not authenticate',
      () => ({ secrets: unauthenticated, rotated: unauthenticated, stranger: unauthenticated }),
      'open rejects with internal when any byte was changed',
      'open rejects with internal when bytes are missing or too many',
      'open rejects with internal under another context',
      'open rejects with internal when the key is gone',
    ],
    [
      'ignores bytes at the end',
      faulty((secrets) => ({
        seal: async (plaintext, context) => Buffer.concat([await secrets.seal(plaintext, context), Buffer.of(0)]),
        open: (sealed, context) => secrets.open(sealed.subarray(0, -1), context),
      })),
      'open rejects with internal when any byte was changed',
    ],
    [
      'cannot seal nothing',
      faulty((secrets) => ({
        async seal(plaintext, context) {
          if (plaintext.length === 0) throw new Error('nothing to seal')
          return secrets.seal(plaintext, context)
        },
      })),
      'open gives what was sealed, of any length',
    ],
    [
      'spoils what it opens',
      faulty((secrets) => ({
        async open(sealed, context) {
          const plaintext = await secrets.open(sealed, context)
          sealed.fill(0)
          return plaintext
        },
      })),
      'seal and open leave the bytes they are given as they are',
    ],
    [
      'takes a view for the memory it looks into',
      faulty((secrets) => ({ open: (sealed, context) => secrets.open(new Uint8Array(sealed.buffer), context) })),
      'open takes a view into a larger piece of memory',
    ],
    [
      'knows only the newest key',
      () => ({ ...opened(), rotated: aesSecrets({ keys: randomBytes(32).toString('base64') }) }),
      'open opens what any key of the ring has sealed',
    ],
    [
      'takes everything for current',
      faulty(() => ({ isCurrent: async () => true })),
      'isCurrent, where there is one, is true of what was sealed last and false of what an older key sealed',
      'isCurrent, where there is one, is false of bytes in another form',
    ],
    [
      'takes nothing for current',
      faulty(() => ({ isCurrent: async () => false })),
      'isCurrent, where there is one, is true of what was sealed last and false of what an older key sealed',
    ],
    [
      'fails with an error of its library',
      failsTo(() => new Error('Unsupported state or unable to authenticate data')),
      'open rejects with internal under another context',
      'open rejects with internal when the key is gone',
    ],
    [
      'tells the content when it fails',
      failsTo((plaintext) => new PrivacyError('internal', `Cannot open ${Buffer.from(plaintext ?? []).toString()}`)),
      'a failure to open says nothing of the content',
    ],
    [
      'gives nothing instead of failing',
      faulty((secrets) => ({
        open: (sealed, context) => secrets.open(sealed, context).catch(() => new Uint8Array()),
      })),
      'open rejects with internal when bytes are missing or too many',
    ],
  ])
})
