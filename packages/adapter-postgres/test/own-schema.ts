import pg from 'pg'
import { afterEach, beforeEach } from 'vitest'
import { sharedServer } from './shared-server.js'

export let server: ReturnType<typeof sharedServer>
export let pool: pg.Pool
export let schema: string
let number = 0

/** A server for the file that calls this, and for each of its tests a pool and a schema that does not exist yet. */
export function ownSchemas(): void {
  server = sharedServer()
  beforeEach(() => {
    schema = `case_${++number}`
    pool = openPool({ max: 10 })
  })
  afterEach(() => pool.end())
}

/** Its last clients may hear that their database goes away. */
export const openPool = (settings: pg.PoolConfig) =>
  new pg.Pool({ connectionString: server.url, ...settings }).on('error', () => {})

export const ask = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows

export const row = (id: string, version = 1, state: unknown = {}) => {
  return { id, version, requestId: 'pri_1', signature: 's', state }
}

export async function* bytesOf(...chunks: readonly (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

export async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts).toString()
}
