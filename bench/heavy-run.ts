import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresConnector } from '@habeas/adapter-postgres'
import { createPrivacyService } from '@habeas/core'
import pg from 'pg'
import { connectShop, describeShop } from '../demo/service.js'
import { cursors, type KeyKind } from './access/cursors.js'

/*
 * Process that reads one heavy subject and tells how long it took and what it held at most, everything else of the
 * process included. Arguments: the way, the server's URL, the subject's e-mail address, the kind of its keys.
 */
export type Way = 'engine' | 'cursors' | 'cursors at once'

export interface HeavyRun {
  readonly rows: number
  readonly milliseconds: number
  readonly peakMegabytes: number
}

// whoever asked is gone, and so is the server
process.on('disconnect', () => process.exit())

const [way, url, email, kind] = process.argv.slice(2) as [Way, string, string, KeyKind]

async function byEngine(): Promise<Omit<HeavyRun, 'peakMegabytes'>> {
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [postgresConnector()],
  })
  try {
    await connectShop(privacy, url)
    await describeShop(privacy)
    const from = performance.now()
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
    const { status, failure, results = [] } = await privacy.requests.settled(id)
    if (status !== 'complete') throw new Error(`The request ended in ${status}: ${failure}`)
    const milliseconds = performance.now() - from
    const delivered = results.flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => outcome === 'delivered'))
    return { rows: delivered.reduce((sum, { rowCount }) => sum + rowCount, 0), milliseconds }
  } finally {
    await privacy.close()
  }
}

async function byCursors(): Promise<Omit<HeavyRun, 'peakMegabytes'>> {
  const path = join(tmpdir(), `habeas-bench-${process.pid}.jsonl`)
  const clients = [new pg.Client(url), new pg.Client(url)] as const
  await Promise.all(clients.map((client) => client.connect()))
  try {
    const from = performance.now()
    const rows = await cursors(clients, kind, email, path, way === 'cursors at once')
    return { rows, milliseconds: performance.now() - from }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
    await rm(path, { force: true })
  }
}

const run = await (way === 'engine' ? byEngine() : byCursors())
const { maxRSS } = process.resourceUsage()
process.send?.({ ...run, peakMegabytes: maxRSS / 1024 } satisfies HeavyRun, () => process.disconnect())
