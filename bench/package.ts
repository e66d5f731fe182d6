import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atMost, type Measurement, median, told } from './measurement.js'
import type { PackageFormat, PackageRun } from './package-run.js'

const program = fileURLToPath(new URL('package-run.ts', import.meta.url))
const formats: readonly PackageFormat[] = ['json', 'json, encrypted', 'csv', 'csv, encrypted', 'html']
const rows = 1_000_000
const runs = 3

/** What a package of many rows costs in memory, above the same process with no rows. */
export async function packages(): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = []
  for (const format of formats) {
    console.log(format)
    const idle = median((await repeated(format, 0)).map(({ peakMegabytes }) => peakMegabytes))
    const written = await repeated(format, rows)
    const seconds = median(written.map(({ milliseconds }) => milliseconds)) / 1000
    measurements.push(
      atMost(`above idle, ${format}`, Math.max(...written.map((run) => run.peakMegabytes)) - idle, 'MB', 150),
      told(`rows per second, ${format}`, rows / seconds, 'rows/s'),
      told(`size, ${format}`, written[0]?.megabytes ?? 0, 'MB'),
    )
  }
  return measurements
}

async function repeated(format: PackageFormat, count: number): Promise<PackageRun[]> {
  const found: PackageRun[] = []
  for (let run = 0; run < runs; run++) found.push(await packageRun(format, count))
  return found
}

/** Writes a package in a process of its own, so that no run inherits the memory or the warmth of another. */
async function packageRun(format: PackageFormat, count: number): Promise<PackageRun> {
  const child = fork(program, [format, String(count)])
  const [run] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [PackageRun | number]
  if (typeof run === 'number') throw new Error(`Writing ${format} ended with exit code ${run}.`)
  if (child.exitCode === null) await once(child, 'exit')
  return run
}
