import { deepStrictEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresConnector } from '@habeas/adapter-postgres'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { connectShop, describeShop, identities } from '../../demo/service.js'
import { alternate, median, milliseconds } from '../measurement.js'
import { script, scriptPool } from './script.js'

const warmUps = 200
/** The connector's default; the script gets as many. */
const poolSize = 4

/** Median milliseconds of an access request and of the script, for the customer of the demo. */
export async function ordinaryCustomer(url: string, runs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'habeas-bench-'))
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [postgresConnector({ poolSize })],
  })
  const pool = scriptPool(url, poolSize)
  const byEngine = join(folder, 'engine.json')
  const byHand = join(folder, 'script.json')
  try {
    await connectShop(privacy, url)
    await describeShop(privacy)
    const engineRun = () => milliseconds(() => engine(privacy, byEngine))
    const scriptRun = () => milliseconds(() => script(pool, byHand))
    await alternate(warmUps, engineRun, scriptRun)
    deepStrictEqual(await comparable(byEngine), await comparable(byHand))
    const [engineTimes, scriptTimes] = await alternate(runs, engineRun, scriptRun)
    return { engine: median(engineTimes), script: median(scriptTimes) }
  } finally {
    await Promise.all([privacy.close(), pool.end()])
    await rm(folder, { recursive: true, force: true })
  }
}

async function engine(privacy: PrivacyService, path: string): Promise<void> {
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
  const { status, failure } = await privacy.requests.settled(id)
  if (status !== 'complete') throw new Error(`The request ended in ${status}: ${failure}`)
  await writeFile(path, privacy.requests.readPackage(id))
}

/**
 * Rows in an order of their own, and times in one form: neither package promises one. What is told beside the rows – what
 * is missing, what nobody has described – no script tells.
 */
async function comparable(path: string): Promise<unknown> {
  const read = JSON.parse(await readFile(path, 'utf8'), (_, value) => {
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value)) return new Date(value).toISOString()
    return isRow(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
  }) as Record<string, unknown[]>
  return Object.fromEntries(
    Object.entries(read)
      .filter(([name]) => name.includes(':'))
      .map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row)).sort()]),
  )
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
