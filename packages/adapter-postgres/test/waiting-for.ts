import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/** Resolves when a session that meets the condition `who` waits for a lock, with the names of the sessions that hold it. */
export async function waitingFor(client: pg.Client, who: string): Promise<string[]> {
  for (;;) {
    const { rows } = await client.query(
      `select blocking.application_name as name from pg_stat_activity as waits, unnest(pg_blocking_pids(waits.pid)) as pid
         join pg_stat_activity as blocking on blocking.pid = pid.pid where ${who}`,
    )
    if (rows.length > 0) return rows.map(({ name }) => name)
    await delay(5)
  }
}

/** A session that writes for an erasure. */
export const erasure = "waits.application_name like 'habeas%'"
export const pid = (client: pg.Client) => `waits.pid = ${(client as unknown as { processID: number }).processID}`
