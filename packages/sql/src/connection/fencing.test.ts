import { isPrivacyError } from '@habeas/core'
import { expect, it } from 'vitest'
import { failure } from './connection-failure.js'
import { endWrites, namedLocks } from './fencing.js'
import type { Transaction } from './transaction.js'

const gone = new Error('no such session')
const words = namedLocks({
  ...{ take: 'get_lock', release: 'release_lock', holder: 'is_used_lock' },
  isGone: (error) => error === gone,
})

/** A server whose lock another session holds for so many attempts. `kill` fails with the reason. */
function server(attempts: number, reason: 'permission' | 'timeout' | 'other', cause?: Error) {
  let asked = 0
  const killing = failure(reason, 'The user may not do this.', cause)
  const run = async ({ steps }: Transaction) => {
    const sql = String(steps[0]?.statements[0]?.sql)
    if (sql.includes('get_lock') && asked++ < attempts) throw failure('lock_timeout', 'Another session holds it.')
    if (sql.startsWith('kill')) throw killing
    return [[{ columns: [], rows: [[7]] }]] as never
  }
  return { run, killing }
}

it('says lock_timeout where the session that holds the lock may not be ended, with the rejection as cause', async () => {
  const { run, killing } = server(Number.POSITIVE_INFINITY, 'permission')
  const error = await endWrites(words, 'lock', run).catch((thrown: unknown) => thrown)
  if (!isPrivacyError(error)) throw error
  expect(error.details).toEqual({ reason: 'lock_timeout', transient: true })
  expect(error.cause).toBe(killing)
})

it('waits for a session that may not be ended and ends by itself', async () => {
  await expect(endWrites(words, 'lock', server(3, 'permission').run)).resolves.toBeUndefined()
})

it('waits for a session that ended by itself before it could be ended', async () => {
  await expect(endWrites(words, 'lock', server(3, 'other', gone).run)).resolves.toBeUndefined()
  const { run, killing } = server(3, 'other', new Error('another error'))
  await expect(endWrites(words, 'lock', run)).rejects.toBe(killing)
})

it('does not wait where the server cannot be asked', async () => {
  const { run, killing } = server(3, 'timeout')
  await expect(endWrites(words, 'lock', run)).rejects.toBe(killing)
})
