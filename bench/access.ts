import { tidyEnding } from '../demo/ending.js'
import { makeShop } from '../demo/shop/make-shop.js'
import type { KeyKind } from './access/cursors.js'
import { heavyRun } from './access/heavy.js'
import { addHeavySubjects, type HeavySubject, heavySubjects } from './access/heavy-subjects.js'
import { ordinaryCustomer } from './access/ordinary.js'
import { planning } from './access/planning.js'
import { proxied } from './access/proxied.js'
import { alternate, atLeast, atMost, holdsIf, type Measurement, median, told } from './measurement.js'

const ordinaryRuns = 200
const heavyPairs = 5
const memoryRuns = 5

/** What an access request costs beyond the work that nobody can spare it. */
export async function access(): Promise<readonly Measurement[]> {
  const ending = tidyEnding()
  const { url } = await ending.startPostgres()
  try {
    console.log('filling the shop')
    await makeShop(url)
    console.log('(a) an ordinary customer')
    const ordinaries = await ordinary(url)
    console.log('filling in the heavy subjects')
    await addHeavySubjects(url)
    console.log('(b) (c) heavy subjects')
    const heavies = await heavy(url)
    // last, since what it leaves behind would slow what is measured in the same process
    console.log('(d) planning')
    return [...ordinaries, ...heavies, ...(await plans())]
  } finally {
    await ending.stop()
  }
}

async function ordinary(url: string): Promise<Measurement[]> {
  const near = await ordinaryCustomer(url, ordinaryRuns)
  const line = await proxied(url, 5)
  const far = await ordinaryCustomer(line.url, ordinaryRuns)
  line.stop()
  return [
    told('(a) script on loopback', near.script, 'ms'),
    told('(a) request on loopback', near.engine, 'ms'),
    atMost('(a) request / script on loopback', near.engine / near.script, 'times', 2.5),
    told('(a) script through the proxy', far.script, 'ms'),
    told('(a) request through the proxy', far.engine, 'ms'),
    atMost('(a) request / script through a proxy that adds 5 ms each way', far.engine / far.script, 'times', 1.3),
  ]
}

async function heavy(url: string): Promise<Measurement[]> {
  const { integer, integerHalf, uuid, uuidHalf, long, nobody } = heavySubjects
  const idle = median(await peaks(url, nobody))
  const integers = await against(url, integer, 'integer', idle)
  const uuids = await against(url, uuid, 'uuid', idle)
  return [
    told('(c) an empty run', idle, 'MB'),
    ...integers.measurements,
    ...uuids.measurements,
    atMost('(c) above an empty run, integer keys', integers.held, 'MB', 110),
    ...(await half(url, integerHalf, 'integer keys', integers.held, idle)),
    atMost('(c) above an empty run, UUID keys', uuids.held, 'MB', 160),
    ...(await half(url, uuidHalf, 'UUID keys', uuids.held, idle)),
    atMost('(c) above an empty run, 20,000 rows of 100 KB', median(await peaks(url, long)) - idle, 'MB', 110),
  ]
}

/** Rows per second against the cursors, and what the engine's runs held above an empty one. */
async function against(url: string, subject: HeavySubject, kind: KeyKind, idle: number) {
  const [engine, cursors] = await alternate(
    heavyPairs,
    () => heavyRun('engine', url, subject),
    () => heavyRun('cursors', url, subject, kind),
  )
  const atOnce: typeof cursors = []
  for (let run = 0; run < memoryRuns; run++) atOnce.push(await heavyRun('cursors at once', url, subject, kind))
  const expected = subject.rows[0] + subject.rows[1]
  for (const { rows } of [...engine, ...cursors, ...atOnce]) {
    // the engine delivers the customer and the address as well
    if (rows < expected || rows > expected + 2) throw new Error(`${rows} rows of ${expected} were read.`)
  }
  const perSecond = (runs: typeof engine) => median(runs.map(({ milliseconds }) => (expected / milliseconds) * 1000))
  return {
    held: median(engine.slice(0, memoryRuns).map(({ peakMegabytes }) => peakMegabytes)) - idle,
    measurements: [
      told(`(b) request, ${kind} keys`, perSecond(engine), 'rows/s'),
      told(`(b) two bare cursors one after the other, ${kind} keys`, perSecond(cursors), 'rows/s'),
      told(`(b) two bare cursors at once, ${kind} keys`, perSecond(atOnce), 'rows/s'),
      atLeast(
        `(b) rows per second, request / cursors, ${kind} keys`,
        perSecond(engine) / perSecond(cursors),
        'times',
        0.9,
      ),
    ],
  }
}

async function half(
  url: string,
  subject: HeavySubject,
  keys: string,
  whole: number,
  idle: number,
): Promise<Measurement[]> {
  const held = median(await peaks(url, subject)) - idle
  const away = Math.abs(whole - held)
  return [
    told(`(c) above an empty run, half the rows, ${keys}`, held, 'MB'),
    holdsIf(
      `(c) half the rows away from all of them, ${keys}`,
      away,
      'MB',
      `within 30 % (${Math.round(whole * 0.3)} MB) or 25 MB`,
      away <= Math.max(whole * 0.3, 25),
    ),
  ]
}

async function peaks(url: string, subject: HeavySubject): Promise<number[]> {
  const found: number[] = []
  for (let run = 0; run < memoryRuns; run++) found.push((await heavyRun('engine', url, subject)).peakMegabytes)
  return found
}

async function plans(): Promise<Measurement[]> {
  const [small = 0, large = 0] = await planning([1000, 10_000], 7)
  return [
    told('(d) planning 1,000 collections', small, 'ms'),
    atMost('(d) planning 10,000 collections / 1,000', large / small, 'times', 15),
    atMost('(d) planning 10,000 collections', large, 'ms', 1000),
  ]
}
