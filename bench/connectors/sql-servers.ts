import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { alternate, atLeast, atMost, type Measurement, median, told } from '../measurement.js'
import type { RowsRun, RowsWay } from '../rows-run.js'
import { type RowsSubject, subjectOf } from './rows-server.js'
import { type RowsKind, rowsServers } from './rows-servers.js'

const program = fileURLToPath(new URL('../rows-run.ts', import.meta.url))
const rounds = 3
const ways = ['one update', 'erase, constant', 'erase, a value per row'] as const

/** Requests over a server of the environment, with the driver below them and with one statement of the server. */
export async function rowsOver(kind: RowsKind, mostRows = 1_000_000, manyRows = 100_000): Promise<Measurement[]> {
  const name = `${kind.toUpperCase()}_URL`
  const url = process.env[name]
  if (url) return server(kind, url, subjectOf(mostRows), subjectOf(manyRows))
  console.log(`SKIPPED: ${kind} is not measured. Set ${name} to the address of a server.`)
  return []
}

async function server(kind: RowsKind, url: string, most: RowsSubject, many: RowsSubject): Promise<Measurement[]> {
  const { fill, drop, counting } = rowsServers[kind]
  const run = (way: RowsWay, subject: RowsSubject, address = url) => rowsRun(kind, way, address, subject)
  const of = (runs: readonly RowsRun[], part: keyof RowsRun) => median(runs.map((each) => each[part]))
  try {
    console.log(`${kind}: ${most.rows} rows`)
    const nobody = subjectOf(0)
    await fill(url, nobody)
    const idle = of(
      [await run('access', nobody), await run('access', nobody), await run('access', nobody)],
      'peakMegabytes',
    )
    await fill(url, most)
    const [access, stream] = await alternate(
      rounds,
      () => run('access', most),
      () => run('stream', most),
    )
    const perSecond = (runs: readonly RowsRun[]) => (most.rows / of(runs, 'milliseconds')) * 1000
    console.log(`${kind}: ${many.rows} rows erased`)
    const erased = new Map<RowsWay, RowsRun[]>(ways.map((way) => [way, []]))
    for (let round = 0; round < rounds; round++)
      // each way comes first as often as the others
      for (const position of ways.keys()) {
        const way = ways[(position + round) % ways.length] as RowsWay
        await fill(url, many)
        erased.get(way)?.push(await run(way, many))
      }
    const [hand, constant, each] = ways.map((way) => erased.get(way) ?? []) as [RowsRun[], RowsRun[], RowsRun[]]
    const times = (runs: readonly RowsRun[]) => of(runs, 'milliseconds') / of(hand, 'milliseconds')
    return [
      told(`${kind}: access, request`, perSecond(access), 'rows/s'),
      told(`${kind}: access, the driver's stream, lines of JSON`, perSecond(stream), 'rows/s'),
      atLeast(
        `${kind}: access, rows per second, request / stream`,
        perSecond(access) / perSecond(stream),
        'times',
        0.9,
      ),
      atMost(`${kind}: access, memory above idle`, of(access, 'peakMegabytes') - idle, 'MB', 110),
      told(`${kind}: erase, one UPDATE`, of(hand, 'milliseconds'), 'ms'),
      atMost(`${kind}: erase, writing / UPDATE, constant`, times(constant), 'times', 1.8),
      told(`${kind}: erase, writing / UPDATE, a value per row`, times(each), 'times'),
      told(`${kind}: erase, finding`, of(constant, 'finding'), 'ms'),
      told(`${kind}: erase, reading again`, of(constant, 'verifying'), 'ms'),
      told(`${kind}: statements, access`, await statements('access'), 'statements'),
      told(`${kind}: statements, erase`, await statements('erase, constant'), 'statements'),
    ]
  } finally {
    await drop(url)
  }

  /** Statements for `many` rows, through a proxy that counts them. */
  async function statements(way: RowsWay): Promise<number> {
    await fill(url, many)
    const proxy = await counting(url)
    try {
      await run(way, many, proxy.url)
      return proxy.statements()
    } finally {
      await proxy.close()
    }
  }
}

/** Reads or erases in a process of its own, so that no run inherits the memory or the warmth of another. */
async function rowsRun(kind: RowsKind, way: RowsWay, url: string, { email, rows }: RowsSubject): Promise<RowsRun> {
  const child = fork(program, [kind, way, url, email])
  const [run] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [RowsRun | number]
  if (typeof run === 'number') throw new Error(`The run '${way}' of ${email} on ${kind} ended with exit code ${run}.`)
  if (child.exitCode === null) await once(child, 'exit')
  if (run.rows !== rows) throw new Error(`'${way}' on ${kind} took ${run.rows} rows of ${rows}.`)
  return run
}
