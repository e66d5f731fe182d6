import { failed, type RunEnd } from './run-end.js'
import type { RequestRun } from './run-options.js'

/** A fourth process would end like the three before it. */
const deathsThatEnd = 3

/** Returns the end of a request whose processes ended one after the other while it ran, without getting any further. */
export async function endOfRepeatedDeaths({ row, options }: RequestRun): Promise<RunEnd | undefined> {
  if ((row.deaths ?? 0) < deathsThatEnd) return undefined
  const open = await openCollections(row.id, options)
  const during = open.length > 0 ? ` while it worked on ${open.map((address) => `'${address}'`).join(', ')}` : ''
  return failed(
    `The process that ran the request ended ${deathsThatEnd} times${during}, and got no further each time: look for the cause where your processes run, such as too little memory, and retry. What was done so far is kept.`,
  )
}

/** The collections that the log leaves unfinished. */
async function openCollections(id: string, { context }: RequestRun['options']): Promise<string[]> {
  const entries = await context.storage
    .table('executionLog')
    .find({ where: { requestId: { equals: id } }, orderBy: [{ field: 'createdAt' }] })
  const last = new Map(entries.map(({ dataset, collection, status }) => [`${dataset}:${collection}`, status]))
  return [...last].flatMap(([address, status]) => (status === 'in_processing' || status === 'retrying' ? address : []))
}
