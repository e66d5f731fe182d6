import { setTimeout } from 'node:timers/promises'

/** Resolves when `work` has settled, or after `seconds`, whichever comes first. Never rejects. */
export async function atMost(work: Promise<unknown>, seconds: number): Promise<void> {
  const done = new AbortController()
  const settled = work.catch(() => {}).finally(() => done.abort())
  await Promise.race([settled, setTimeout(seconds * 1_000, undefined, { signal: done.signal }).catch(() => {})])
}
