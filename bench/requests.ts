import pg from 'pg'
import { tidyEnding } from '../demo/ending.js'
import type { Measurement } from './measurement.js'
import { atOnce } from './requests/at-once.js'
import { beside } from './requests/beside.js'
import { lists } from './requests/lists.js'
import { makePeople, size } from './requests/people.js'
import { statements } from './requests/statements.js'
import { throughput } from './requests/throughput.js'

/** What many requests cost the state of the service, and how many a worker does. */
export async function requests(): Promise<readonly Measurement[]> {
  const ending = tidyEnding()
  const { url } = await ending.startPostgres()
  const makeDatabase = async (name: string, template?: string) => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`)
    await client.end()
    return url.replace(/\/postgres$/, `/${name}`)
  }
  const parts = (process.env['BENCH_PARTS'] ?? 'abcde').split('')
  try {
    console.log('filling the tables')
    const people = await makeDatabase('people')
    await makePeople(people, { small: 1_000, large: size('LARGE', 5), entryRows: size('ENTRY_ROWS', 1_000_000) })
    const measurements: Measurement[] = []
    if (parts.includes('a')) measurements.push(...(await statements(people, await makeDatabase('counted'))))
    if (parts.includes('b')) measurements.push(...(await throughput(people, makeDatabase)))
    if (parts.includes('c')) measurements.push(...(await beside(people, await makeDatabase('beside'))))
    if (parts.includes('d')) measurements.push(...(await atOnce(people, await makeDatabase('at_once'))))
    if (parts.includes('e')) measurements.push(...(await lists(await makeDatabase('listed'))))
    return measurements
  } finally {
    await ending.stop()
  }
}
