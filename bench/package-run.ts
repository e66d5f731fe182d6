import { randomBytes } from 'node:crypto'
import { fileBlobs, systemRuntime } from '@habeas/core'
import { spoolRoom } from '../packages/core/src/execution/find/spool.js'
import { csvPackage } from '../packages/core/src/results/csv/csv-package.js'
import { htmlPackage } from '../packages/core/src/results/html/html-package.js'
import { jsonPackage } from '../packages/core/src/results/json-package.js'
import { encrypted } from '../packages/core/src/results/package-cipher.js'
import type { PackageContent } from '../packages/core/src/results/package-content.js'

/*
 * Process that spools rows as a run does, encrypted and in files, writes a package of them the same way, and tells how
 * long the package took and what the process held at most. Arguments: the format, the number of rows.
 */
export type PackageFormat = 'json' | 'json, encrypted' | 'csv' | 'csv, encrypted' | 'html'

export interface PackageRun {
  readonly milliseconds: number
  readonly megabytes: number
  readonly peakMegabytes: number
}

// whoever asked is gone
process.on('disconnect', () => process.exit())

const [format, count] = process.argv.slice(2) as [PackageFormat, string]
const cipher = { key: randomBytes(32), randomBytes }
const preparedAt = new Date()

const writers: Readonly<Record<PackageFormat, (content: PackageContent) => AsyncIterable<Uint8Array>>> = {
  json: jsonPackage,
  'json, encrypted': (content) => encrypted(cipher, jsonPackage(content)),
  csv: (content) => csvPackage(content, { preparedAt }),
  'csv, encrypted': (content) => csvPackage(content, { preparedAt, cipher }),
  html: (content) => htmlPackage(content, { requestId: 'pri_1', preparedAt, datasets: [] }),
}

/** Some 200 bytes of JSON, no two alike. */
function rowText(id: number): string {
  const at = new Date(1_600_000_000_000 + id * 61_000).toISOString()
  const address = { street: `Lindenallee ${id % 997}`, city: 'Köln', zip: String(10_000 + (id % 89_999)) }
  return JSON.stringify({
    id,
    at,
    email: `person${id}@example.com`,
    total: (id * 7919) % 100_000,
    paid: id % 3 > 0,
    address,
  })
}

const blobs = fileBlobs()
try {
  const room = spoolRoom({ blobs, runtime: systemRuntime, dataKey: randomBytes(32) })
  const spool = room.open('spool')
  for (let id = 0; id < Number(count); id++) {
    spool.append(rowText(id))
    if (spool.full) await spool.drain()
  }
  const spooled = await spool.close()
  const sections = [{ address: 'shop:orders', rowCount: spooled.rows, rows: () => room.read(spooled) }]
  const from = performance.now()
  await room.write(
    'package',
    writers[format]({
      sections,
      manual: [],
      searched: [],
      notSearched: [],
      undecided: [],
      coverage: {},
      unconfirmed: [],
    }),
  )
  const milliseconds = performance.now() - from
  const run: PackageRun = {
    milliseconds,
    megabytes: ((await blobs.size('package')) ?? 0) / 1024 / 1024,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  }
  process.send?.(run, () => process.disconnect())
} finally {
  await blobs.close()
}
