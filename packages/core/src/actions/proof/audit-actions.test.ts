import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import type { Storage } from '../../ports/storage.js'
import { chainProblems } from '../../results/proof/chain-problems.js'
import {
  auditActions,
  auditedTransaction,
  type ChainHead,
  noEntries,
  noteAudit,
  writeAudited,
} from './audit-actions.js'

function setUp() {
  const storage = memoryStorage()
  const audit = auditActions({ storage })
  const note = (subject: string, action = 'client_created') =>
    auditedTransaction(storage, (within) =>
      noteAudit({ runtime: systemRuntime }, within, {
        actor: 'host',
        action,
        subject,
        detail: { scopes: ['policy:read'] },
      }),
    )
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
      id: 'client:a/00000001',
      sequence: 1,
      previousHash: null,
      hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: 'host',
      action: 'one',
      subject: 'client:a',
      detail: { scopes: ['policy:read'] },
    })
  })

  test('goes on where the head that a writer knew is an old one, and reads the chain only then', async () => {
    const { storage, note } = setUp()
    const subject = 'privacy-request:a'
    let reads = 0
    const counting: Storage = {
      ...storage,
      table: ((kind: 'auditEntry') => {
        const table = storage.table(kind)
        return { ...table, find: (query: object) => table.find(query).finally(() => reads++) }
      }) as Storage['table'],
    }
    const keeper = { storage: counting, runtime: systemRuntime }
    const entry = { actor: 'host', action: 'one', subject, detail: {} }
    let head: ChainHead = noEntries
    const write = (known: ChainHead) =>
      writeAudited(keeper, known, entry, (next) => {
        head = next
        return []
      })
    expect([await write(noEntries), reads, head.sequence]).toEqual([true, 0, 1])
    await note(subject)
    expect([await write(head), reads, head.sequence]).toEqual([true, 1, 3])
    expect(await write(head)).toBe(true)
    expect(reads).toBe(1)
    const entries = await storage.table('auditEntry').find()
    expect(entries).toHaveLength(4)
    expect(chainProblems(entries, subject)).toEqual([])
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

  test('an entry is written with the change it reports, or not at all', async () => {
    const { storage, audit } = setUp()
    const work = auditedTransaction(storage, async (within) => {
      await noteAudit({ runtime: systemRuntime }, within, { actor: 'host', action: 'a', subject: 'b', detail: {} })
      throw new Error('something else failed')
    })
    await expect(work).rejects.toThrow('something else failed')
    expect((await audit.list()).total).toBe(0)
  })
})

/** A storage in which another write comes between the look at the last entry and the next entry. */
function overtaken(within: Storage, meanwhile: () => Promise<void> | undefined): Storage {
  const table = within.table('auditEntry')
  const insert: typeof table.insert = async (row) => {
    await meanwhile()
    return table.insert(row)
  }
  return { ...within, table: () => ({ ...table, insert }) as never }
}

describe('the chain of a subject', () => {
  const chainOf = async ({ audit }: ReturnType<typeof setUp>, subject: string) =>
    (await audit.list({ subject, size: 100 })).items

  test('is whole from its beginning, whatever is noted about other subjects', async () => {
    const trail = setUp()
    for (const subject of ['client:a', 'client:b', 'client:a', 'client:a', 'client:b']) await trail.note(subject)
    for (const [subject, length] of [
      ['client:a', 3],
      ['client:b', 2],
    ] as const) {
      const chain = await chainOf(trail, subject)
      expect(chain).toHaveLength(length)
      expect(chainProblems(chain, subject)).toEqual([])
    }
  })

  test('loses no entry of many that are appended at once, and never forks', async () => {
    const trail = setUp()
    await Promise.all(Array.from({ length: 60 }, (_, at) => trail.note('client:a', `action_${at}`)))
    const chain = await chainOf(trail, 'client:a')
    expect(new Set(chain.map(({ action }) => action)).size).toBe(60)
    expect(chainProblems(chain, 'client:a')).toEqual([])
  })

  test('takes the entry of the second writer, once', async () => {
    const trail = setUp()
    const { storage, note } = trail
    let attempts = 0
    await auditedTransaction(storage, async (within) => {
      attempts += 1
      await within.table('revokedToken').insert({ id: 'own', version: 1, expiresAt: '2027-01-01T00:00:00.000Z' })
      await noteAudit(
        { runtime: systemRuntime },
        overtaken(within, () => (attempts === 1 ? note('client:a', 'first') : undefined)),
        {
          actor: 'host',
          action: 'second',
          subject: 'client:a',
          detail: {},
        },
      )
    })
    expect(attempts).toBe(2)
    expect(await storage.table('revokedToken').count()).toBe(1)
    const chain = await chainOf(trail, 'client:a')
    expect(chain.map(({ action }) => action)).toEqual(['first', 'second'])
    expect(chainProblems(chain, 'client:a')).toEqual([])
  })

  test('continues by its numbers where clocks differ', async () => {
    const { storage, audit } = setUp()
    for (const time of ['2026-01-02', '2026-01-01']) {
      const runtime = { ...systemRuntime, now: () => new Date(time) }
      await auditedTransaction(storage, (within) =>
        noteAudit({ runtime }, within, { actor: 'host', action: time, subject: 'client:a', detail: {} }),
      )
    }
    const { items } = await audit.list({ subject: 'client:a' })
    expect(items.map(({ action }) => action)).toEqual(['2026-01-02', '2026-01-01'])
    expect(chainProblems(items, 'client:a')).toEqual([])
  })
})
