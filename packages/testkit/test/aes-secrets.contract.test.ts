import { randomBytes } from 'node:crypto'
import { aesSecrets } from '@habeas/core'
import { secretsContract } from '@habeas/testkit'
import { describe, it } from 'vitest'

const newKey = (): string => randomBytes(32).toString('base64')

describe('aesSecrets', () =>
  secretsContract(it, () => {
    const older = newKey()
    return {
      secrets: aesSecrets({ keys: { '2024': older } }),
      rotated: aesSecrets({ keys: { '2024': older, '2025': newKey() }, current: '2025' }),
      stranger: aesSecrets({ keys: { '2024': newKey() } }),
    }
  }))
