import { setTimeout as delay } from 'node:timers/promises'
import type { Erase, Fence } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fencedJobs } from '../src/fenced-jobs.js'
import type { JobRequest, JobService } from '../src/job-service.js'
import { RestError } from './double/rest.js'
import { type FakeService, openFakeService, resultOf, tableResource } from './fake-service.js'

const erase: Erase = {
  collection: 'people',
  key: ['id'],
  keys: [[1, 2]],
  anyOf: [{ fields: [{ path: ['email'] }], values: [['jane@example.com']] }],
  set: [{ column: 'email', to: null }],
}
const fence = (confirm: Fence['confirm'] = async () => {}): Fence => ({ lock: 'request-1', confirm })

let service: FakeService
beforeEach(async () => {
  service = await openFakeService()
})
afterEach(() => service.close())

const idsOf = () => service.server.jobs.map(({ jobReference }) => jobReference.jobId)

describe('a batch', () => {
  it('is one job, with its checks before COMMIT', async () => {
    await (await service.connect()).erase!(erase)
    expect(service.server.jobs).toHaveLength(1)
    const shape = service.server.jobs[0]!.configuration.query.query.split('\n').map((line) =>
      line.split(' ', 2).join(' '),
    )
    expect(shape).toEqual([
      'begin transaction;',
      ...['select if((select', 'update `acme`.`shop`.`people`', 'select if(@@row_count', 'commit transaction;'],
    ])
    expect(service.statements.at(-1)).toBe('committed')
  })

  it('that is only tried ends with ROLLBACK', async () => {
    await (await service.connect()).erase!({ ...erase, set: 'delete' }, { rollBack: true })
    expect(service.server.jobs[0]!.configuration.query.query).toMatch(/\nrollback transaction;$/)
    expect(service.statements.at(-1)).toBe('rolled back')
  })

  it('counts what others may have written meanwhile once more, after COMMIT', async () => {
    service.resources['/projects/acme/datasets/shop/tables/orders'] = tableResource('orders', {
      schema: { fields: [{ name: 'person', type: 'INTEGER' }] },
    })
    const group = { fields: [{ path: ['person'] }], values: [[1]] }
    const exact = { ...group, exact: true } as const
    await (await service.connect()).erase!({
      ...erase,
      pointers: [{ count: { collection: 'orders', group }, most: [0] }],
      unchanged: [{ collection: 'orders', group: exact, rows: 1 }],
    })
    const { query } = service.server.jobs[0]!.configuration.query
    const [before, after] = query.split('commit transaction;') as [string, string]
    expect(before.match(/habeas:\w+/g)).toEqual(
      [...['changed_since', 'shared_since', 'ambiguous_rows', 'ambiguous_rows']].map((word) => `habeas:${word}`),
    )
    expect(after.match(/habeas:\w+/g)).toEqual(['habeas:changed_meanwhile', 'habeas:changed_meanwhile'])
  })

  it('that others meddled with says that it has been written', async () => {
    service.run = (query) => {
      if (query.includes('changed_meanwhile')) throw new RestError(400, 'invalidQuery', 'habeas:changed_meanwhile:2')
      return resultOf([['0']])
    }
    const group = { fields: [{ path: ['id'] }], values: [[7]] }
    const pointers = [{ count: { collection: 'people', group }, most: [0] }]
    const failure = await (await service.connect()).erase!({ ...erase, pointers }).catch((failure) => failure)
    expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'other' } })
    expect(failure.message).toContain('have been written')
    expect(service.statements).toContain('committed')
  })

  it.each([
    ['habeas:ambiguous_rows', { code: 'unsupported', details: { reason: 'ambiguous_rows' } }],
    ['habeas:changed_since', { code: 'connection_failed', details: { reason: 'changed_since' } }],
    [
      'habeas:shared_since:3:12',
      { code: 'connection_failed', details: { reason: 'shared_since', position: 3, rows: 12 } },
    ],
  ])('that finds %s writes nothing and says so', async (word, expected) => {
    service.run = (query) => {
      if (query.startsWith('select')) throw new RestError(400, 'invalidQuery', `Query error: ${word} at [2:1]`)
      return resultOf([])
    }
    await expect((await service.connect()).erase!(erase)).rejects.toMatchObject(expected)
    expect(service.statements.filter((statement) => statement.startsWith('update'))).toEqual([])
    expect(service.statements.at(-1)).toBe('rolled back')
  })

  const refusing = (error: RestError, times = 1) => {
    let left = times
    service.run = (query) => {
      if (!query.startsWith('update') || left === 0) return resultOf([['0']])
      left -= 1
      throw error
    }
  }

  it('that touches rows which were just streamed says when to retry', async () => {
    const words =
      'UPDATE or DELETE statement over table acme.shop.people would affect rows in the streaming buffer, which is not supported'
    refusing(new RestError(400, 'invalidQuery', words))
    const failure = await (await service.connect()).erase!(erase).catch((failure) => failure)
    expect(failure).toMatchObject({ details: { reason: 'streaming_buffer', transient: true } })
    expect(failure.message).toContain('90 minutes')
  })

  it('that the service ended because of another transaction is repeated as another job', async () => {
    const words = 'Transaction is aborted due to concurrent update against table acme:shop.people. Transaction ID: abc'
    refusing(new RestError(400, 'invalidQuery', words), 2)
    let asked = 0
    const confirm = async () => {
      asked += 1
    }
    await (await service.connect()).erase!(erase, { fence: fence(confirm) })
    expect(new Set(idsOf()).size).toBe(3)
    expect(asked).toBe(3)
  })

  it.each([
    'Resources exceeded during query execution: Too many DML statements outstanding against table acme:shop.people, limit is 20.',
    'DML statement has been queued for too long',
  ])('that waits behind too many others says that it can be retried: %s', async (words) => {
    refusing(new RestError(400, 'resourcesExceeded', words))
    const failure = await (await service.connect()).erase!(erase).catch((failure) => failure)
    expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'lock_timeout', transient: true } })
    expect(failure.message).toContain('Nothing was written')
  })

  it('that the service ended because it could not serialize it is repeated', async () => {
    const words = 'Could not serialize access to table acme:shop.people due to concurrent update'
    refusing(new RestError(400, 'invalidQuery', words), 1)
    await (await service.connect()).erase!(erase)
    expect(idsOf()).toHaveLength(2)
    expect(service.statements.at(-1)).toBe('committed')
  })

  it.each([
    ['Required field email cannot be null', 'email'],
    ['Field email: STRING(20) has maximum length 20 but got a value with length 34', 'email'],
    ['STRING(20) has maximum length 20 but got a value with length 34', undefined],
    ['Field total: NUMERIC(5, 2) has precision 5 and scale 2 but got a value that is not in range', 'total'],
    ['Invalid INTERVAL value', undefined],
    ['Query error: Bad int64 value', undefined],
  ])('with a value that a rule refuses names the rule and no value: %s', async (words, column) => {
    refusing(new RestError(400, 'invalidQuery', `${words}, jane@example.com`))
    const failure = await (await service.connect()).erase!(erase).catch((failure) => failure)
    expect(failure).toMatchObject({ details: { reason: 'refused', ...(column && { column }) } })
    expect(`${failure} ${JSON.stringify(failure)} ${failure.cause?.stack}`).not.toContain('jane')
  })

  it.each([
    'Query error: habeas:unheard_of, which is required',
    'Array index 7 is out of range',
    'int64 overflow: 9223372036854775807 + 1',
    'Query parameter p7 is required',
    'The query is too long',
    'Invalid value: Unrecognized name: p7',
  ])('that fails of itself does not blame a rule of the table: %s', async (words) => {
    refusing(new RestError(400, 'invalidQuery', words))
    const failure = await (await service.connect()).erase!(erase).catch((failure) => failure)
    expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'other' } })
    expect(failure.message).toMatch(/^BigQuery failed while writing to "people", with invalidQuery\./)
  })
})

describe('writes under a lock', () => {
  it('are jobs numbered one after the other, under a hash of the lock', async () => {
    const connection = await service.connect()
    for (let batch = 0; batch < 5; batch++) await connection.erase!(erase, { fence: fence() })
    const [, hash] = /^habeas_([0-9a-f]{40})_0$/.exec(idsOf()[0]!)!
    expect(idsOf()).toEqual([0, 1, 2, 3, 4].map((number) => `habeas_${hash}_${number}`))
    const another = await service.connect()
    await another.erase!(erase, { fence: fence() })
    expect(idsOf().at(-1)).toBe(`habeas_${hash}_5`)
  })

  it('do not begin where another worker has ended them after they were confirmed', async () => {
    const connection = await service.connect()
    const successor = await service.connect()
    const writing = connection.erase!(erase, { fence: fence(() => successor.endWrites!('request-1')) })
    await expect(writing).rejects.toMatchObject({ code: 'connection_failed', details: { reason: 'cancelled' } })
    expect(service.statements).not.toContain('committed')
    await connection.erase!(erase, { fence: fence() })
    expect(service.statements).toContain('committed')
  })

  it('that run are cancelled where they do not end by themselves', async () => {
    const connection = await service.connect()
    let reached = () => {}
    const isWriting = new Promise<void>((resolve) => {
      reached = resolve
    })
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    service.server.beforeStatement = async (statement) => {
      if (!statement.startsWith('update')) return
      reached()
      await held
    }
    const writing = connection.erase!(erase, { fence: fence() }).then(
      () => 'written',
      () => 'ended',
    )
    await isWriting
    const ending = (await service.connect()).endWrites!('request-1')
    await expect.poll(() => service.server.cancelled).toEqual([idsOf()[0]])
    letGo()
    await ending
    expect(await writing).toBe('ended')
    expect(service.statements.at(-2)).toBe('rolled back')
    expect(service.statements).not.toContain('committed')
  })

  it('go on where the client repeated a call whose answer it did not get', async () => {
    service.server.loseAnswers = 1
    await (await service.connect()).erase!(erase, { fence: fence() })
    expect(idsOf()).toHaveLength(1)
    expect(service.statements.at(-1)).toBe('committed')
  })

  it('are cancelled when the connection is closed, also where the client repeated the call', async () => {
    service.server.loseAnswers = 1
    service.run = (query) => (query.startsWith('update') ? new Promise(() => {}) : resultOf([['0']]))
    const connection = await service.connect()
    const writing = connection.erase!(erase, { fence: fence() }).catch((failure) => failure)
    // it is waited for after it was found to be this worker's own
    const waited = () => service.server.requests.filter((each) => each.includes(`/jobs/${idsOf()[0]}?`)).length
    while (waited() < 3) await delay(20)
    await connection.close()
    expect(await writing).toMatchObject({ details: { reason: 'cancelled' } })
    expect(service.server.cancelled).toEqual(idsOf())
  })

  it('are remembered of the last requests only', async () => {
    const begun = new Set<string>()
    const asked: string[] = []
    const jobs = fencedJobs({
      begin: async ({ jobId = '' }: JobRequest) => begun.add(jobId) && jobId,
      state: async (jobId: string) => {
        asked.push(jobId)
        return begun.has(jobId) ? { status: { state: 'DONE' } } : undefined
      },
      ended: async () => {},
    } as unknown as JobService)
    const write = (lock: string) =>
      jobs.write({ query: '', parameters: [], doing: 'writing' }, { lock, confirm: async () => {} })
    await write('first')
    const [first] = begun
    await write('first')
    expect(asked.filter((id) => id === first)).toHaveLength(2)
    for (let other = 0; other < 100; other++) await write(`other-${other}`)
    asked.length = 0
    await write('first')
    expect(asked).toContain(first)
    expect([...begun].at(-1)).toBe(first!.replace(/0$/, '2'))
  })

  it('are not written where the worker is not confirmed', async () => {
    const overtaken = new Error('overtaken')
    const writing = (await service.connect()).erase!(erase, { fence: fence(() => Promise.reject(overtaken)) })
    await expect(writing).rejects.toThrow()
    expect(service.server.jobs).toEqual([])
  })
})
