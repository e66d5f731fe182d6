import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DatamapRun } from './datamap-run.js'
import { atMost, type Measurement, median, told } from './measurement.js'

const program = fileURLToPath(new URL('datamap-run.ts', import.meta.url))
const sizes = [125, 250, 500, 1_000] as const
const rounds = 3

/** Whether a manifest costs what its datasets cost one by one, and whether others have their turn meanwhile. */
export async function datamap(): Promise<readonly Measurement[]> {
  const runs = new Map<number, DatamapRun[]>()
  for (let round = 0; round < rounds; round++)
    for (const size of sizes) runs.set(size, [...(runs.get(size) ?? []), await datamapRun(size)])
  const of = (size: number, read: (run: DatamapRun) => number) => median((runs.get(size) ?? []).map(read))
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
      const longest = of(size, (run) => Math.max(...parts.map((part) => run[part].longestHeldMs)))
      return atMost(`event loop held at most, ${size} datasets`, longest, 'ms', 50)
    }),
    told(
      'the same with what others ran on the cores, 1,000 datasets',
      of(1_000, (run) => Math.max(...parts.map((part) => run[part].longestWaitMs))),
      'ms',
    ),
    told(
      'peak, 1,000 datasets',
      of(1_000, (run) => run.peakMegabytes),
      'MB',
    ),
  ]
}

/** Runs one manifest in a process of its own. */
async function datamapRun(size: number): Promise<DatamapRun> {
  const child = fork(program, [String(size)])
  const [run] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [DatamapRun | number]
  if (typeof run === 'number') throw new Error(`A run of ${size} datasets ended with exit code ${run}.`)
  if (child.exitCode === null) await once(child, 'exit')
  return run
}
