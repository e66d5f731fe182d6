import type { SilentEnds } from '../../model/request-retry.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'

/** A fourth process would end like the three before it. */
const mostDeaths = 3
/** As long as three processes take with the usual lease. With a short one, whatever kills all workers for a moment would count. */
const leastMs = 120_000

/**
 * Returns the silent ends of runs in a row, of which the last one still holds `row`. One that got further, or died before it
 * worked on a collection, says nothing against the request.
 */
export async function deathsOf(
  storage: Storage,
  { id, deaths, steps = 0, stepsAtClaim = 0 }: PrivacyRequestRow,
  now: string,
): Promise<SilentEnds> {
  const at = await openCollections(storage, id)
  const isSame = steps === stepsAtClaim && at.length > 0 && at.join() === deaths?.at.join()
  return isSame ? { ...deaths, count: deaths.count + 1 } : { count: Math.min(1, at.length), at, since: now }
}

/** Returns why a request does not run again whose processes ended one after the other on the same collections. */
export function repeatedDeaths({ deaths }: PrivacyRequestRow, now: Date): string | undefined {
  if (!deaths || deaths.count < mostDeaths) return undefined
  const { count, since } = deaths
  if (since !== undefined && now.getTime() - Date.parse(since) < leastMs) return undefined
  const names = deaths.at.map((address) => `'${address}'`).join(', ')
  return `The process that ran the request ended ${count} times while it worked on ${names}, and got no further: look for the cause where your processes run, such as too little memory, and retry. What was done before is kept.`
}

/** The collections that the log leaves unfinished. */
async function openCollections(storage: Storage, id: string): Promise<string[]> {
  const entries = await storage
    .table('executionLog')
    .find({ where: { requestId: { equals: id } }, orderBy: [{ field: 'createdAt' }] })
  const last = new Map(entries.map(({ dataset, collection, status }) => [`${dataset}:${collection}`, status]))
  return [...last].flatMap(([address, status]) => (status === 'in_processing' || status === 'retrying' ? address : []))
}
