import type pg from 'pg'
import { expect, it, vi } from 'vitest'
import { holdPool } from './host-pool.js'

it('loads the driver once, and again only where that has failed', async () => {
  const load = vi.fn<() => Promise<typeof pg>>()
  const client = {}
  const end = vi.fn(async () => {})
  class Pool {
    on() {}
    connect = async () => client
    end = end
  }
  const options = { connectionString: 'postgresql://user@host:5432/database' }
  const { pool, close } = holdPool('postgresStorage', options, load)
  const failed = new Error('no such file')
  load.mockRejectedValueOnce(failed).mockRejectedValueOnce(failed)
  await expect(pool.connect()).rejects.toBe(failed)
  await expect(close()).rejects.toBe(failed)
  load.mockResolvedValue({ Pool } as unknown as typeof pg)
  expect(await pool.connect()).toBe(client)
  await pool.connect()
  await close()
  await close()
  expect(load).toHaveBeenCalledTimes(3)
  expect(end).toHaveBeenCalledTimes(1)
})

it('refuses the address of another kind of server, and does not repeat it', () => {
  const connectionString = 'mysql://root:pa55@host:3306/database'
  const message =
    'postgresStorage needs the address of a PostgreSQL server, which begins with postgresql://, not mysql:.'
  expect(() => holdPool('postgresStorage', { connectionString })).toThrow(message)
})

it.each(['postgres://host/database', 'socket:/run/postgresql?db=one', '/run/postgresql one'])('takes %s', (text) => {
  expect(() => holdPool('postgresStorage', { connectionString: text })).not.toThrow()
})
