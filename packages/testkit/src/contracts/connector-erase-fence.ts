import assert from 'node:assert/strict'
import { type Connection, type Fence, PrivacyError } from '@habeas/core'
import type { Test } from '../test.js'
import { deadline, latch } from './deadline.js'
import {
  byEmail,
  type EraseContractOptions,
  eraseCases,
  erased,
  erasing,
  type OpenErase,
  people,
} from './erase-under-test.js'
import { rejection } from './rejection.js'

const overtaken = () => new PrivacyError('unavailable', 'The run was taken over', { reason: 'overtaken' })
const masked = erasing({ set: [{ column: 'name', to: 'masked' }] })
const deleted = erasing({ keys: [[5, 6]], anyOf: [byEmail(5, 6)], set: 'delete' })

/** Writes of a worker that was overtaken take no effect. */
export const connectorEraseFenceContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)
  const promptly = deadline(options)
  let fences = 0

  /** A fence of its own whose `confirm` waits until it is let go. */
  const heldFence = () => {
    const [reached, decided] = [latch(), latch()]
    const fence: Fence = {
      lock: `habeas contract ${process.pid} ${++fences}`,
      async confirm() {
        reached.open()
        await decided.opened
      },
    }
    return { fence, reached: reached.opened, letGo: decided.open }
  }
  const names = (other: Connection) => people(other, 'name')

  given('a fenced write takes effect once its worker is confirmed, and not before', async ({ connection, other }) => {
    for (const batch of [deleted, masked]) {
      const before = await names(other)
      const { fence, reached, letGo } = heldFence()
      const writing = erased(connection, batch, { fence })
      await promptly(reached, 'confirm is called')
      assert.deepEqual(await names(other), before)
      letGo()
      await promptly(writing, 'the write ends')
      assert.notDeepEqual(await names(other), before)
    }
    const left = [
      [1, 'masked'],
      [2, null],
      [3, 'masked'],
      [4, 'Jill'],
    ]
    assert.deepEqual(await names(other), left)
  })

  given('a fenced write whose worker is not confirmed writes nothing', async ({ connection, other }) => {
    const before = await names(other)
    for (const batch of [masked, deleted]) {
      const fence = { lock: 'habeas contract', confirm: () => Promise.reject(overtaken()) }
      const { details } = await rejection(erased(connection, batch, { fence }), 'unavailable')
      assert.deepEqual(details, { reason: 'overtaken' })
      assert.deepEqual(await names(other), before)
    }
    await erased(connection, masked)
  })

  given(
    'writes of an earlier worker can be ended, where writes are fenced',
    async ({ connector, connection, other }) => {
      const { fencing = false } = connector.capabilities
      assert.equal(other.endWrites !== undefined, fencing)
      if (!other.endWrites) return
      const before = await names(other)
      const { fence, reached, letGo } = heldFence()
      const outcome = erased(connection, masked, { fence }).then(
        () => 'written',
        () => 'ended',
      )
      await promptly(reached, 'confirm is called')
      await promptly(other.endWrites(`${fence.lock} of another`), 'nobody writes under another lock')
      await promptly(other.endWrites(fence.lock), 'the earlier write is ended')
      letGo()
      assert.equal(await promptly(outcome, 'the earlier write ends'), 'ended')
      assert.deepEqual(await names(other), before)
      await erased(connection, masked, { fence: { ...fence, confirm: async () => {} } })
      await promptly(other.endWrites(fence.lock), 'a lock that is free')
      assert.notDeepEqual(await names(other), before)
    },
  )
}
