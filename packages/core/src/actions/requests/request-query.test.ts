import { beforeAll, describe, expect, it } from 'vitest'
import { aesSecrets } from '../../builtin/aes-secrets.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import type { Identity } from '../../model/identity.js'
import { parsePolicy } from '../../model/policy.js'
import type { PrivacyRequest } from '../../model/privacy-request.js'
import { serviceKeys } from '../service-keys.js'
import { requestActions } from './request-actions.js'
import { requestContext } from './request-context.js'
import type { RequestListOptions } from './request-query.js'

const context = {
  storage: memoryStorage(),
  secrets: aesSecrets({ keys: Buffer.alloc(32, 1).toString('base64') }),
  runtime: systemRuntime,
  connectors: new Map(),
  options: { taxonomy: 'open' as const, connectionTestSeconds: 1 },
  connectionChanged() {},
}
const requests = requestActions(
  requestContext(context, {
    queue: { send: async () => {}, listen: async () => {} },
    policy: async (key) => parsePolicy({ service_key: key, rules: [] }).value,
    immediate: false,
    approvalRequired: false,
    serviceKeys: serviceKeys(context),
  }),
)

const day = (at: number) => `2026-03-0${at}T12:00:00.000Z`
const names = new Map<string, string>()

/** A request whose row then gets the members of a test. */
async function given(name: string, identities: Identity[], policyKey: string, changes: Partial<PrivacyRequest>) {
  const { id } = await requests.submit({ policyKey, identities })
  names.set(id, name)
  const table = context.storage.table('privacyRequest')
  const row = await table.get(id)
  if (row) await table.replace({ ...row, ...changes, version: 2 })
}

/** The names of the listed requests, in order. */
async function listed(options: RequestListOptions): Promise<string> {
  const { items, total } = await requests.list({ size: 100, ...options })
  expect(total).toBe(items.length)
  return items.map(({ id }) => names.get(id)).join('')
}

const idOf = (name: string) => [...names].find(([, each]) => each === name)?.[0] as string

beforeAll(async () => {
  await given('a', [{ email: 'ann@x', number: 5 }], 'p', { createdAt: day(1), externalId: 'T-1' })
  await given('b', [{ email: 'ben@x' }, { email: 'Ann@x', number: '5' }], 'p', {
    createdAt: day(2),
    externalId: 'T-10',
    status: 'complete',
    startedProcessingAt: day(3),
    finishedProcessingAt: day(4),
  })
  await given('c', [{ login: 'ann@x', member: true }], 'q', {
    createdAt: day(3),
    externalId: 't-1',
    status: 'error',
    startedProcessingAt: day(4),
    finishedProcessingAt: day(5),
  })
  await given('d', [{ email: 'true' }], 'q', {
    createdAt: day(3),
    status: 'in_processing',
    // As after a retry: it has ended once, and is neither complete nor in error.
    startedProcessingAt: day(2),
    finishedProcessingAt: day(4),
    dueDate: day(9),
  })
  await given('e', [{ email: 'eve@x' }], 'q', { createdAt: day(5), status: 'complete', finishedProcessingAt: day(6) })
})

describe('filters', () => {
  it('find by id, exactly or by a prefix', async () => {
    const id = idOf('c')
    expect(await listed({ requestId: id })).toBe('c')
    expect(await listed({ requestId: `${id}*` })).toBe('c')
    expect(await listed({ requestId: id.slice(0, -1) })).toBe('')
    expect(await listed({ requestId: 'pri_*' })).toBe('edcba')
    expect(await listed({ requestId: '*' })).toBe('edcba')
    expect(await listed({ requestId: 'PRI_*' })).toBe('')
  })

  it('find by external id, exactly or by a prefix, and distinguish case', async () => {
    expect(await listed({ externalId: 'T-1' })).toBe('a')
    expect(await listed({ externalId: 'T-1*' })).toBe('ba')
    expect(await listed({ externalId: '*' })).toBe('cba')
    expect(await listed({ externalId: '' })).toBe('')
  })

  it.each<[string | number | boolean, string]>([
    ['ann@x', 'ca'],
    ['Ann@x', 'b'],
    ['ann@', ''],
    ['ann@x*', ''],
    [5, 'ba'],
    ['5', 'ba'],
    ['5.0', ''],
    [true, 'dc'],
    ['true', 'dc'],
    ['nobody@x', ''],
    ['', ''],
  ])('find by the exact value of any identity: %j', async (identity, found) => {
    expect(await listed({ identity })).toBe(found)
  })

  it('find by identity together with other filters, which must all hold', async () => {
    expect(await listed({ identity: 'ann@x', policyKey: 'p' })).toBe('a')
    expect(await listed({ identity: 'ann@x', requestId: idOf('c') })).toBe('c')
    expect(await listed({ identity: 'ann@x', requestId: idOf('b') })).toBe('')
    expect(await listed({ identity: 'nobody@x', page: 3, size: 7 })).toBe('')
    expect(await requests.list({ identity: 'nobody@x', page: 3, size: 7 })).toEqual({
      items: [],
      total: 0,
      page: 3,
      size: 7,
      pages: 0,
    })
  })

  it('find by one status or several', async () => {
    expect(await listed({ status: 'complete' })).toBe('eb')
    expect(await listed({ status: ['complete', 'error'] })).toBe('ecb')
    expect(await listed({ status: [] })).toBe('edcba')
    expect(await listed({ status: 'denied' })).toBe('')
  })

  it.each<[RequestListOptions, string]>([
    [{ createdGt: day(2) }, 'edc'],
    [{ createdLt: day(3) }, 'ba'],
    [{ createdGt: day(1), createdLt: day(3) }, 'b'],
    [{ createdGt: '2026-03-02' }, 'edcb'],
    [{ createdGt: '2026-03-02T14:00:00+02:00' }, 'edc'],
    [{ createdGt: day(3), createdLt: day(3) }, ''],
    [{ startedGt: day(2) }, 'cb'],
    [{ startedLt: day(4) }, 'db'],
    [{ completedGt: day(3) }, 'eb'],
    [{ completedLt: day(6) }, 'b'],
    [{ completedGt: day(1), status: ['error', 'complete'] }, 'eb'],
    [{ completedGt: day(1), status: 'error' }, ''],
    [{ erroredGt: day(1) }, 'c'],
    [{ erroredLt: day(5) }, ''],
    [{ erroredGt: day(4), erroredLt: day(6), policyKey: 'q', identity: 'ann@x' }, 'c'],
  ])('find by time, without its bounds: %j', async (options, found) => {
    expect(await listed(options)).toBe(found)
  })
})

describe('order and pages', () => {
  it.each<[RequestListOptions, string]>([
    [{}, 'edcba'],
    [{ sortDirection: 'asc' }, 'abcde'],
    [{ sortField: 'id', sortDirection: 'asc' }, 'abcde'],
    [{ sortField: 'id' }, 'edcba'],
    [{ sortField: 'startedProcessingAt' }, 'cbdea'],
    [{ sortField: 'startedProcessingAt', sortDirection: 'asc' }, 'dbcae'],
    [{ sortField: 'finishedProcessingAt' }, 'ecdba'],
    [{ sortField: 'externalId', sortDirection: 'asc' }, 'abcde'],
    [{ sortField: 'externalId' }, 'cbaed'],
    [{ sortField: 'policyKey' }, 'edcba'],
    [{ sortField: 'status', sortDirection: 'asc' }, 'becda'],
    [{ sortField: 'dueDate', sortDirection: 'asc' }, 'dabce'],
    [{ sortField: 'requestedAt' }, 'edcba'],
    [{ sortField: 'reviewedAt' }, 'edcba'],
    [{ sortField: 'identityVerifiedAt', sortDirection: 'asc' }, 'abcde'],
  ])('requests without a value come last: %j', async (options, order) => {
    expect(await listed(options)).toBe(order)
  })

  it('pages do not overlap, also among requests that share a value', async () => {
    const pages = []
    for (let page = 1; page <= 4; page++) pages.push(await requests.list({ sortField: 'policyKey', page, size: 2 }))
    expect(pages.map(({ items }) => items.map(({ id }) => names.get(id)).join(''))).toEqual(['ed', 'cb', 'a', ''])
    expect(pages.map(({ total, pages }) => [total, pages])).toEqual(Array(4).fill([5, 3]))
  })
})

describe('bad options', () => {
  const issuesOf = async (options: object) => {
    const error = await requests.list(options as RequestListOptions).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_input' })
    return error.details.issues as { loc: string[]; msg: string }[]
  }

  it('are all named at once', async () => {
    const issues = await issuesOf({
      page: 0,
      size: 101,
      requestId: 5,
      externalId: 'a\0',
      identity: { $ne: null },
      status: ['complete', 'done'],
      policyKey: null,
      createdLt: 'yesterday',
      startedGt: '2026-02-30',
      sortField: 'failure',
      sortDirection: 'up',
    })
    expect(issues.map(({ loc }) => loc.join('.')).sort()).toEqual([
      'createdLt',
      'externalId',
      'identity',
      'page',
      'policyKey',
      'requestId',
      'size',
      'sortDirection',
      'sortField',
      'startedGt',
      'status',
    ])
    expect(JSON.stringify(issues)).not.toMatch(/yesterday|\$ne|02-30/)
  })

  it.each<[object, string[]]>([
    [{ completedGt: day(1), erroredLt: day(2) }, ['completedGt', 'erroredLt']],
    [{ completedGt: day(1), completedLt: day(2), erroredGt: day(1) }, ['completedLt', 'completedGt', 'erroredGt']],
    [{ createdGt: day(2), createdLt: day(1) }, ['createdLt']],
    [{ startedGt: '2026-03-02', startedLt: '2026-03-02T01:00+02:00' }, ['startedLt']],
    [{ completedGt: day(2), completedLt: day(1) }, ['completedLt']],
    [{ erroredGt: day(2), erroredLt: day(1), createdGt: day(2), createdLt: day(1) }, ['createdLt', 'erroredLt']],
    [{ status: 5 }, ['status']],
    [{ status: null }, ['status']],
    [{ status: '' }, ['status']],
    [{ identity: ['ann@x'] }, ['identity']],
    [{ sortField: 'leaseHolder' }, ['sortField']],
    [{ sortField: '__proto__' }, ['sortField']],
  ])('%j', async (options, named) => {
    expect((await issuesOf(options)).map(({ loc }) => loc.join('.'))).toEqual(named)
  })
})

it('refuses an option that is not known, and names the nearest known one', async () => {
  await expect(requests.list({ statuz: 'error' } as never)).rejects.toThrow("the nearest known name is 'status'")
})
