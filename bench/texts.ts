import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { tidyEnding } from '../demo/ending.js'
import { atMost, type Measurement, median, told } from './measurement.js'
import type { TextsRun, TextsWay } from './texts-run.js'

const program = fileURLToPath(new URL('texts-run.ts', import.meta.url))
const email = 'texts@bench.example'
const ways: readonly TextsWay[] = ['delivered', 'erased']
/** Of one text; all of a table come to as much whatever the size of one. */
const sizes = [1, 5, 20] as const
const tableMegabytes = 60
const rounds = 3

/** Whether a megabyte of a long text costs what one of many shorter texts costs. */
export async function texts(): Promise<readonly Measurement[]> {
  const ending = tidyEnding()
  const { url } = await ending.startPostgres()
  try {
    const runs = new Map<string, TextsRun[]>()
    for (let round = 0; round < rounds; round++) {
      for (const way of ways) {
        for (const size of sizes) {
          await freshTable(url, size)
          const known = runs.get(`${way} ${size}`) ?? []
          runs.set(`${way} ${size}`, [...known, await textsRun(way, url, tableMegabytes / size)])
        }
      }
    }
    const of = (way: TextsWay, size: number, part: keyof TextsRun) =>
      median((runs.get(`${way} ${size}`) ?? []).map((run) => run[part]))
    return ways.flatMap((way) => {
      const perMegabyte = (size: number) => of(way, size, 'milliseconds') / tableMegabytes
      return [
        ...sizes.map((size) => told(`${way}: texts of ${size} MB`, perMegabyte(size), 'ms/MB')),
        atMost(`${way}: a MB in texts of 5 MB / of 1 MB`, perMegabyte(5) / perMegabyte(1), 'times', 1.5),
        atMost(`${way}: a MB in texts of 20 MB / of 1 MB`, perMegabyte(20) / perMegabyte(1), 'times', 1.5),
        told(`${way}: peak, texts of 20 MB`, of(way, 20, 'peakMegabytes'), 'MB'),
      ]
    })
  } finally {
    await ending.stop()
  }
}

/** All rows are of one person, each with a text of so many megabytes that has quotes and lines to escape. */
async function freshTable(url: string, megabytes: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('drop table if exists letter')
    await client.query('create table letter (id int primary key, email text, note text)')
    const words = 'She wrote: "Grüße"\n'
    await client.query(`insert into letter select n, $1, repeat($2, $3::int) from generate_series(1, $4::int) n`, [
      email,
      words,
      Math.ceil((megabytes * 1024 * 1024) / Buffer.byteLength(words)),
      tableMegabytes / megabytes,
    ])
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** Runs one request in a process of its own. */
async function textsRun(way: TextsWay, url: string, rows: number): Promise<TextsRun> {
  const child = fork(program, [way, url, email])
  const [run] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [TextsRun | number]
  if (typeof run === 'number')
    throw new Error(`A run that was to have ${rows} rows ${way} ended with exit code ${run}.`)
  if (child.exitCode === null) await once(child, 'exit')
  if (run.rows !== rows) throw new Error(`${run.rows} rows of ${rows} were ${way}.`)
  return run
}
