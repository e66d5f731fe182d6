import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { memoryStorage } from '../../builtin/memory-storage.js'
import type { Storage } from '../../ports/storage.js'
import { createPrivacyService } from '../../service.js'

it('stores no more than 32 submissions at once, and all of them in the end', async () => {
  const kept = memoryStorage()
  let storing = 0
  let most = 0
  const storage: Storage = {
    ...kept,
    async transaction(work) {
      most = Math.max(most, ++storing)
      await new Promise((resolve) => setImmediate(resolve))
      return kept.transaction(work).finally(() => storing--)
    },
  }
  const encryptionKey = randomBytes(32).toString('base64')
  const privacy = createPrivacyService({ encryptionKey, storage, execution: { immediate: false } })
  const input = { policyKey: 'default_access_policy', identity: { email: 'ann@example.com' } }
  const submitted = await Promise.all(Array.from({ length: 200 }, () => privacy.requests.submit(input)))
  expect(new Set(submitted.map(({ id }) => id)).size).toBe(200)
  expect(most).toBe(32)
  await privacy.close()
})
