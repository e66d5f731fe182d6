import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import { PrivacyError } from '../../errors.js'
import type { Storage } from '../../ports/storage.js'
import { writeAll } from '../write-all.js'
import { auditChain, noEntries, writeAudited } from './audit-actions.js'

/** What becomes of one write: it is done or not, and its answer is lost. */
type Fate = 'done' | 'not done' | 'away' | 'answered'

/** The storage, whose writes meet these fates, one after the other; then all is well. */
function losing(stored: Storage, fates: readonly Fate[]): Storage {
  const coming = [...fates]
  return {
    ...stored,
    async writeAll(writes) {
      const fate = coming.shift() ?? 'answered'
      if (fate === 'away') throw new PrivacyError('unavailable', 'Away.')
      if (fate === 'not done') throw lost()
      const written = await writeAll(stored, writes)
      if (fate === 'done') throw lost()
      return written
    },
  }
}

const lost = () => new PrivacyError('unavailable', 'Broke off.', { outcome: 'unknown' })

const subject = 'client:a'
const checkpoint = { id: 'one', version: 1, requestId: 'pri_1' }
const entry = { actor: 'host', action: 'client_created', subject, detail: {} } as const
const insert = (storage: Storage, known = noEntries) =>
  writeAudited({ storage, runtime: systemRuntime }, known, entry, () => [
    { kind: 'checkpoint', insert: [checkpoint as never] },
  ])
const replace = (storage: Storage, version: number) =>
  writeAudited({ storage, runtime: systemRuntime }, undefined, entry, () => [
    { kind: 'checkpoint', replace: { ...checkpoint, version } as never },
  ])

describe('a write whose answer is lost', () => {
  test.each<[string, Fate[]]>([
    ['was done', ['done']],
    ['was not done, and is done again', ['not done']],
    ['was not done, while the storage is away for a moment', ['not done', 'away', 'answered']],
    ['was not done, and loses its answer once more', ['not done', 'done']],
  ])('%s', async (_, fates) => {
    const stored = memoryStorage()
    expect(await insert(losing(stored, fates))).toBe(true)
    expect(await auditChain(stored, subject)).toHaveLength(1)
    expect(await stored.table('checkpoint').count()).toBe(1)
    expect(await replace(losing(stored, fates), 2)).toBe(true)
    expect(await stored.table('checkpoint').get('one')).toMatchObject({ version: 2 })
    expect(await auditChain(stored, subject)).toHaveLength(2)
  })

  test('is told as lost where nobody can find out what became of it', async () => {
    const stored = memoryStorage()
    const away = losing(stored, ['not done', 'away', 'away', 'away', 'away', 'away'])
    await expect(insert(away)).rejects.toMatchObject({ details: { outcome: 'unknown' } })
    expect(await auditChain(stored, subject)).toHaveLength(0)
  })

  test('gives way to what another one wrote first', async () => {
    const stored = memoryStorage()
    await insert(stored)
    await expect(insert(losing(stored, ['not done']))).rejects.toMatchObject({ code: 'conflict' })
    expect(await replace(losing(stored, ['not done']), 3)).toBe(false)
    expect(await auditChain(stored, subject)).toHaveLength(1)
  })
})
