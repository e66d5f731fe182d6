import { createPrivacyService, memoryBlobs, memoryStorage } from '@habeas/core'
import { queueContract } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresQueue, postgresQueue } from '../src/index.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
let pool: pg.Pool
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: server.url, max: 20 })
  pool.on('error', () => {})
})
afterAll(() => pool.end())

let opened = 0
const schema = () => `queue_${++opened}`
const encryptionKey = Buffer.alloc(32, 5).toString('base64')
const identities = [{ email: 'ann@example.com' }]

/** Listens until the end of the test, and tells what came. */
function hearing(queue: PostgresQueue) {
  const heard: string[] = []
  const stop = new AbortController()
  const ended = queue.listen(async (id) => void heard.push(id), { concurrency: 4, signal: stop.signal })
  return {
    heard,
    async end() {
      stop.abort()
      await ended
    },
  }
}

describe('postgresQueue', () => {
  queueContract(it, () => postgresQueue({ pool, schema: schema() }), { forgets: true })

  it('tells every process that listens', async () => {
    const name = schema()
    const open = () => postgresQueue({ connectionString: server.url, schema: name })
    const queues = [open(), open(), open()] as const
    const ears = queues.map(hearing)
    // Each listens for sure once it has heard itself.
    for (const [at, queue] of queues.entries()) await queue.send(`own_${at}`)
    await queues[0].send('pri_1')
    for (const { heard } of ears) await expect.poll(() => heard).toContain('pri_1')
    for (const { end } of ears) await end()
    for (const queue of queues) await queue.close()
  })

  it('listens again after its connection was broken off', async () => {
    const name = schema()
    const queue = postgresQueue({ connectionString: server.url, schema: name })
    const { heard, end } = hearing(queue)
    await queue.send('pri_1')
    await expect.poll(() => heard).toEqual(['pri_1'])
    const listening = `from pg_stat_activity where query = 'listen "${name}_hints"'`
    for (let round = 2; round <= 3; round++) {
      const { rows } = await pool.query(`select pid, pg_terminate_backend(pid) ${listening}`)
      expect(rows).toHaveLength(1)
      // the session that was ended may still be there for a moment
      const back = async () => (await pool.query(`select pid ${listening}`)).rows.map(({ pid }) => pid)
      await expect.poll(back, { timeout: 60_000 }).not.toContain(rows[0].pid)
      await expect.poll(back, { timeout: 60_000 }).toHaveLength(1)
      await queue.send(`pri_${round}`)
      await expect.poll(() => heard).toContain(`pri_${round}`)
    }
    await end()
    // The server notices a moment later that the line is gone.
    await expect.poll(async () => (await pool.query(`select ${listening}`)).rowCount).toBe(0)
    await queue.close()
  })

  it('says nothing about a person, and takes no harm from what others say', async () => {
    const name = schema()
    const queue = postgresQueue({ pool, schema: name })
    const { heard, end } = hearing(queue)
    const ear = await pool.connect()
    const payloads: unknown[] = []
    ear.on('notification', ({ payload = '' }) => payloads.push(payload))
    await ear.query(`listen "${name}_hints"`)
    for (const payload of ['', 'no json', '[]', '{"id": 7}', '{"id": "pri_x", "notBefore": "never"}'])
      await ear.query('select pg_notify($1, $2)', [`${name}_hints`, payload])
    const privacy = createPrivacyService({ encryptionKey, queue, execution: { inProcess: false } })
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    await queue.send('pri_later', { notBefore: new Date('2026-01-02T03:04:05Z'), lane: 'large' })
    await expect.poll(() => heard).toEqual([id, 'pri_later'])
    await expect
      .poll(() => payloads.slice(5))
      .toEqual([
        `{"id":"${id}","lane":"small"}`,
        '{"id":"pri_later","lane":"large","notBefore":"2026-01-02T03:04:05.000Z"}',
      ])
    ear.release(true)
    await privacy.close()
    await end()
  })

  it('brings a request from the process that took it to one that works, without a sweep', async () => {
    const shared = { encryptionKey, storage: memoryStorage(), blobs: memoryBlobs() }
    const name = schema()
    const open = () => {
      const queue = postgresQueue({ pool, schema: name })
      const execution = { inProcess: false, sweepSeconds: 86_400 }
      return { queue, privacy: createPrivacyService({ ...shared, queue, execution }) }
    }
    const web = open()
    const worker = open()
    const working = worker.privacy.work()
    const listening = `select from pg_stat_activity where query = 'listen "${name}_hints"'`
    await expect.poll(async () => (await pool.query(listening)).rowCount).toBe(1)
    const { id } = await web.privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    await expect.poll(async () => (await web.privacy.requests.get(id)).status).toBe('complete')
    await worker.privacy.close()
    await working
    await web.privacy.close()
  })

  it('a server that is away is no failure of a submission', async () => {
    const away = postgresQueue({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' })
    await expect(away.send('pri_1')).rejects.toMatchObject({ code: 'unavailable' })
    await expect(away.ping?.()).rejects.toMatchObject({ code: 'unavailable' })
    const privacy = createPrivacyService({ encryptionKey, queue: away, execution: { sweepSeconds: 0.01 } })
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    expect((await privacy.requests.settled(id)).status).toBe('complete')
    await privacy.close()
    await away.close()
  })

  it('says that no notifications come, as behind a pooler of transactions', async () => {
    const deaf = new pg.Pool({ connectionString: server.url, max: 4 })
    deaf.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      const refuse = (text: unknown, ...more: unknown[]) =>
        String(text).startsWith('listen ') ? Promise.reject(new Error('not here')) : query(text, ...more)
      Object.assign(client, { query: refuse })
    })
    const queue = postgresQueue({ pool: deaf, schema: schema() })
    await queue.ping?.()
    const { end } = hearing(queue)
    await expect(queue.ping?.()).rejects.toThrow('sends no notifications')
    await end()
    await queue.ping?.()
    await deaf.end()
  })

  it('names a wrong option', () => {
    expect(() => postgresQueue({ pool, schema: 'No' })).toThrow('postgresQueue needs a schema')
  })
})
