import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../builtin/memory-storage.js'
import { systemRuntime } from '../builtin/system-runtime.js'
import { auditActions, noteAudit } from './audit.js'

function setUp() {
  const storage = memoryStorage()
  const audit = auditActions({ storage })
  const note = (subject: string, action = 'client_created') =>
    noteAudit({ runtime: systemRuntime }, storage, {
      actor: 'host',
      action,
      subject,
      detail: { scopes: ['policy:read'] },
    })
  return { storage, audit, note }
}

describe('the audit trail', () => {
  test('keeps who did what, to what and when, oldest first', async () => {
    const { audit, note } = setUp()
    for (const action of ['one', 'two', 'three']) await note('client:a', action)
    const { items, total } = await audit.list()
    expect(total).toBe(3)
    expect(items.map(({ action }) => action)).toEqual(['one', 'two', 'three'])
    expect(items[0]).toEqual({
      id: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: 'host',
      action: 'one',
      subject: 'client:a',
      detail: { scopes: ['policy:read'] },
    })
  })

  test('is read by subject, a page at a time', async () => {
    const { audit, note } = setUp()
    for (const subject of ['client:a', 'client:b', 'client:a', 'client:ab']) await note(subject)
    expect((await audit.list({ subject: 'client:a' })).total).toBe(2)
    expect((await audit.list({ subject: 'client:' })).total).toBe(0)
    expect((await audit.list({ page: 2, size: 3 })).items).toHaveLength(1)
    await expect(audit.list({ page: 0, size: 101 })).rejects.toMatchObject({
      details: { issues: [{ loc: ['page'] }, { loc: ['size'] }] },
    })
  })

  test('an entry is written with what it tells of, or not at all', async () => {
    const { storage, audit } = setUp()
    const work = storage.transaction(async (within) => {
      await noteAudit({ runtime: systemRuntime }, within, { actor: 'host', action: 'a', subject: 'b', detail: {} })
      throw new Error('something else failed')
    })
    await expect(work).rejects.toThrow('something else failed')
    expect((await audit.list()).total).toBe(0)
  })
})
