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
