import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { mongoProxy } from '../packages/adapter-mongodb/test/mongo-proxy.js'
import { fillDocuments, type Subject, subjects, withDatabase } from './connectors/documents.js'
import { installSize, loadTime } from './connectors/footprint.js'
import { type RowsKind, rowsServers } from './connectors/rows-servers.js'
import { rowsOver } from './connectors/sql-servers.js'
import type { DocumentsRun, Way } from './documents-run.js'
import { alternate, atLeast, atMost, type Measurement, median, told } from './measurement.js'

const program = fileURLToPath(new URL('documents-run.ts', import.meta.url))
const adapters = [
  'adapter-postgres',
  'adapter-mysql',
  'adapter-mssql',
  'adapter-mongodb',
  'adapter-bigquery',
  'adapter-snowflake',
]
const rounds = 5
const database = 'habeas_bench'

/** What may be measured alone. */
export const connectorParts = ['mongodb', ...Object.keys(rowsServers), 'packages']

/** What connectors cost beside the drivers below them: a subject in each database, and every package to install and to load. */
export async function connectors(asked: readonly string[]): Promise<readonly Measurement[]> {
  const found: Measurement[] = []
  for (const part of asked.length > 0 ? asked : connectorParts) {
    if (part === 'packages') found.push(...(await footprints()))
    else if (part === 'mongodb') found.push(...(await documentsOver(process.env['MONGODB_URL'])))
    else found.push(...(await rowsOver(part as RowsKind)))
  }
  return found
}

async function documentsOver(url: string | undefined): Promise<Measurement[]> {
  if (url) return documents(url)
  console.log('SKIPPED: documents are not measured. Set MONGODB_URL to the address of a server.')
  return []
}

async function documents(url: string): Promise<Measurement[]> {
  try {
    const idle = median((await repeated(3, 'access', url, subjects.nobody)).map((run) => run.peakMegabytes))
    console.log('1,000,000 documents')
    await fillDocuments(url, database, subjects.most)
    const read = await reading(url, idle)
    console.log('100,000 documents')
    return [...read, ...(await erasing(url)), ...(await roundTrips(url))]
  } finally {
    await withDatabase(url, database, (db) => db.dropDatabase())
  }
}

async function repeated(times: number, way: Way, url: string, subject: Subject): Promise<DocumentsRun[]> {
  await fillDocuments(url, database, subject)
  const runs: DocumentsRun[] = []
  for (let run = 0; run < times; run++) runs.push(await documentsRun(way, url, subject))
  return runs
}

async function reading(url: string, idle: number): Promise<Measurement[]> {
  const [access, cursor] = await alternate(
    rounds,
    () => documentsRun('access', url, subjects.most),
    () => documentsRun('cursor', url, subjects.most),
  )
  const of = (runs: readonly DocumentsRun[], part: keyof DocumentsRun) => median(runs.map((run) => run[part]))
  const perSecond = (runs: readonly DocumentsRun[]) => (subjects.most.documents / of(runs, 'milliseconds')) * 1000
  return [
    told('access: request', perSecond(access), 'documents/s'),
    told("access: the driver's cursor, lines of JSON", perSecond(cursor), 'documents/s'),
    atLeast('access: documents per second, request / cursor', perSecond(access) / perSecond(cursor), 'times', 0.8),
    told('access: CPU time of the cursor', of(cursor, 'cpuMilliseconds'), 'ms'),
    atMost(
      'access: CPU time, request / cursor',
      of(access, 'cpuMilliseconds') / of(cursor, 'cpuMilliseconds'),
      'times',
      1.5,
    ),
    told('access: a person without documents', idle, 'MB'),
    atMost('access: above that, 1,000,000 documents', of(access, 'peakMegabytes') - idle, 'MB', 110),
  ]
}

async function erasing(url: string): Promise<Measurement[]> {
  const ways = ['updateMany', 'erase, constant', 'erase, a value per document'] as const
  const runs = new Map<Way, number[]>(ways.map((way) => [way, []]))
  for (let round = 0; round < rounds; round++) {
    // Each way comes first as often as the others.
    for (let at = 0; at < ways.length; at++) {
      const way = ways[(at + round) % ways.length] as Way
      const [run] = await repeated(1, way, url, subjects.many)
      runs.get(way)?.push((run as DocumentsRun).milliseconds)
    }
  }
  const [hand, constant, each] = ways.map((way) => median(runs.get(way) ?? [])) as [number, number, number]
  return [
    told('erase: one updateMany', hand, 'ms'),
    told('erase: writing, constant', constant, 'ms'),
    told('erase: writing, a value per document', each, 'ms'),
    atMost('erase: writing / updateMany, constant', constant / hand, 'times', 2),
    told('erase: writing / updateMany, a value per document', each / hand, 'times'),
  ]
}

/** Commands for 100,000 documents, through a proxy that counts them. Looking for servers is none. */
async function roundTrips(url: string): Promise<Measurement[]> {
  const counted = async (way: Way) => {
    await fillDocuments(url, database, subjects.many)
    const proxy = await mongoProxy(url)
    try {
      await documentsRun(way, proxy.url, subjects.many)
      return proxy.commands.filter((name) => !/^(hello|ismaster|isMaster|endSessions)$/.test(name)).length
    } finally {
      await proxy.close()
    }
  }
  return [
    told('round trips, access to 100,000 documents', await counted('access'), 'commands'),
    told('round trips, erasing 100,000 documents', await counted('erase, constant'), 'commands'),
  ]
}

async function footprints(): Promise<Measurement[]> {
  console.log('packages')
  const measurements: Measurement[] = []
  for (const adapter of adapters) {
    const { megabytes, packages } = installSize(adapter)
    measurements.push(
      told(`${adapter}: what it depends on`, packages, 'packages'),
      told(`${adapter}: their size`, megabytes, 'MB'),
      told(`${adapter}: to load, beyond core`, await loadTime(adapter, 7), 'ms'),
    )
  }
  return measurements
}

/** Reads or erases in a process of its own, so that no run inherits the memory or the warmth of another. */
async function documentsRun(way: Way, url: string, subject: Subject): Promise<DocumentsRun> {
  const child = fork(program, [way, url, database, subject.email])
  const [run] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [DocumentsRun | number]
  if (typeof run === 'number') throw new Error(`The run '${way}' of ${subject.email} ended with exit code ${run}.`)
  if (child.exitCode === null) await once(child, 'exit')
  if (run.documents !== subject.documents) {
    throw new Error(`'${way}' took ${run.documents} documents of ${subject.documents}.`)
  }
  return run
}
