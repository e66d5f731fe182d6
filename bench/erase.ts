import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tidyEnding } from '../demo/ending.js'
import { freshTables, makeTemplates, type Subject, subjects } from './erase/entries.js'
import type { EraseRun, Way } from './erase-run.js'
import { atMost, holdsIf, type Measurement, median, told } from './measurement.js'

const program = fileURLToPath(new URL('erase-run.ts', import.meta.url))
const rounds = 5
/** Batches beside those that the rows need: none today, but a trial or a rest may come. */
const spareBatches = 2

/** What an erasure costs against one statement written by hand, and what it holds in memory. */
export async function erase(): Promise<readonly Measurement[]> {
  const ending = tidyEnding()
  const { url } = await ending.startPostgres()
  try {
    console.log('filling the tables')
    await makeTemplates(url)
    const measurements: Measurement[] = []
    for (const [name, subject] of [
      ['1,000 rows', subjects.thousand],
      ['100,000 rows', subjects.hundredThousand],
      ['1,000,000 rows', subjects.million],
    ] as const) {
      console.log(name)
      measurements.push(...(await against(url, subject, name)))
    }
    console.log('memory')
    return [...measurements, ...(await memory(url))]
  } finally {
    await ending.stop()
  }
}

async function against(url: string, subject: Subject, name: string): Promise<Measurement[]> {
  const ways: readonly Way[] = ['by hand', 'engine, constant', 'engine, a value per row']
  const runs = new Map<Way, EraseRun[]>(ways.map((way) => [way, []]))
  const times = subject.entries > 500_000 ? 3 : rounds
  for (let round = 0; round < times; round++) {
    // each way comes first as often as the others
    for (let at = 0; at < ways.length; at++) {
      const way = ways[(at + round) % ways.length] as Way
      runs.get(way)?.push(await eraseRun(way, url, subject))
    }
  }
  const of = (way: Way, part: keyof EraseRun) => median((runs.get(way) ?? []).map((run) => run[part]))
  const hand = of('by hand', 'writing')
  const rowByRow = (await eraseRun('row by row', url, subject)).writing
  const most = Math.ceil(subject.entries / 500) + spareBatches
  const isSmall = subject.entries < 10_000
  // of so few rows the time is that of a round trip, and says nothing of how they are written
  const ratio = (measure: string, value: number, bound: number) =>
    isSmall ? told(measure, value, 'times') : atMost(measure, value, 'times', bound)
  return [
    told(`${name}: one statement by hand`, hand, 'ms'),
    told(`${name}: writing, constant`, of('engine, constant', 'writing'), 'ms'),
    told(`${name}: writing, a value per row`, of('engine, a value per row', 'writing'), 'ms'),
    atMost(`${name}: statements, constant`, of('engine, constant', 'batches'), 'statements', most),
    ratio(`${name}: writing / by hand, constant`, of('engine, constant', 'writing') / hand, 1.5),
    ratio(`${name}: writing / by hand, a value per row`, of('engine, a value per row', 'writing') / hand, 2.2),
    told(`${name}: row by row / by hand`, rowByRow / hand, 'times'),
    told(`${name}: finding and checking, constant`, of('engine, constant', 'finding'), 'ms'),
    told(`${name}: reading again, constant`, of('engine, constant', 'verifying'), 'ms'),
  ]
}

/** What the engine held above the same process for a person without entries. */
async function memory(url: string): Promise<Measurement[]> {
  const held = async (subject: Subject) => {
    const peaks: number[] = []
    for (let run = 0; run < 3; run++)
      peaks.push((await eraseRun('engine, a value per row', url, subject)).peakMegabytes)
    return median(peaks)
  }
  const idle = await held(subjects.nobody)
  const whole = (await held(subjects.million)) - idle
  const half = (await held(subjects.halfMillion)) - idle
  const away = Math.abs(whole - half)
  return [
    told('a person without entries', idle, 'MB'),
    atMost('above that, 1,000,000 rows', whole, 'MB', 110),
    told('above that, 500,000 rows', half, 'MB'),
    holdsIf(
      'half the rows away from all of them',
      away,
      'MB',
      `within 30 % (${Math.round(whole * 0.3)} MB) or 25 MB`,
      away <= Math.max(whole * 0.3, 25),
    ),
  ]
}

/** Erases in a process of its own, on tables of its own. */
async function eraseRun(way: Way, url: string, subject: Subject): Promise<EraseRun> {
  await freshTables(url, subject)
  const child = fork(program, [way, url, subject.email, String(subject.entries)])
  const [run] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [EraseRun | number]
  if (typeof run === 'number') throw new Error(`Erasing ${subject.email} ended with exit code ${run}.`)
  if (child.exitCode === null) await once(child, 'exit')
  if (way !== 'row by row' && way !== 'by hand' && run.rows !== subject.entries) {
    throw new Error(`${run.rows} rows of ${subject.entries} were erased.`)
  }
  return run
}
