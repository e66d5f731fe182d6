import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DatamapRun, DatamapServer } from './datamap-run.js'
import { atMost, type Measurement, median, told } from './measurement.js'

const program = fileURLToPath(new URL('datamap-run.ts', import.meta.url))
const sizes = [125, 250, 500, 1_000] as const
const rounds = 3

type AskedRun = DatamapRun & { readonly slowestHealthMs: number }

/** Whether a manifest costs what its datasets cost one by one, and whether others have their turn meanwhile. */
export async function datamap(): Promise<readonly Measurement[]> {
  const runs = new Map<number, AskedRun[]>()
  for (let round = 0; round < rounds; round++)
    for (const size of sizes) runs.set(size, [...(runs.get(size) ?? []), await datamapRun(size)])
  const of = (size: number, read: (run: AskedRun) => number) => median((runs.get(size) ?? []).map(read))
  const parts = ['read', 'validate', 'apply', 'evaluate', 'export'] as const
  return [
    ...parts.flatMap((part) => {
      const seconds = (size: number) => of(size, (run) => run[part].cpuSeconds)
      return [
        ...sizes.map((size) => told(`${part}: ${size} datasets, CPU time`, seconds(size), 's')),
        atMost(`${part}: a dataset of 1,000 / of 125`, seconds(1_000) / seconds(125) / 8, 'times', 1.5),
      ]
    }),
    ...sizes.map((size) => {
      const longest = of(size, ({ slowestHealthMs }) => slowestHealthMs)
      return atMost(`slowest answer of /health meanwhile, ${size} datasets`, longest, 'ms', 100)
    }),
    ...sizes.map((size) => {
      const longest = of(size, (run) => Math.max(...parts.map((part) => run[part].longestHeldMs)))
      return told(`event loop held at most, ${size} datasets`, longest, 'ms')
    }),
    told(
      'peak, 1,000 datasets',
      of(1_000, (run) => run.peakMegabytes),
      'MB',
    ),
  ]
}

/** Runs one manifest in a process of its own, and asks it for its health all the while. */
async function datamapRun(size: number): Promise<AskedRun> {
  const child = fork(program, [String(size)])
  const { health } = await next<DatamapServer>(child)
  const done = new AbortController()
  const asked = slowestAnswer(health, done.signal)
  const run = await next<DatamapRun>(child)
  done.abort()
  const slowestHealthMs = await asked
  if (child.exitCode === null) await once(child, 'exit')
  return { ...run, slowestHealthMs }
}

async function next<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (typeof message === 'number') throw new Error(`A run ended with exit code ${message}.`)
  return message
}

/** Milliseconds, until it is aborted. The last answer does not count: the process may be ending. */
async function slowestAnswer(url: string, signal: AbortSignal): Promise<number> {
  let slowest = 0
  while (!signal.aborted) {
    const from = performance.now()
    await healthAt(url).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (signal.aborted) break
    slowest = Math.max(slowest, performance.now() - from)
    await setTimeout(5)
  }
  return slowest
}

async function healthAt(url: string): Promise<void> {
  const answer = await fetch(url)
  await answer.text()
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}.`)
}
