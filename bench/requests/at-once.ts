import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atMost, type Measurement, told } from '../measurement.js'
import type { SubmitRun } from '../requests-run.js'
import { size } from './people.js'
import { describePeople, stateService } from './state-service.js'

const program = fileURLToPath(new URL('../requests-run.ts', import.meta.url))

/** (d) What many requests at once cost the process that takes them. */
export async function atOnce(people: string, state: string): Promise<readonly Measurement[]> {
  const describing = stateService({ state, works: false })
  await describePeople(describing, people)
  await describing.close()
  const count = size('AT_ONCE', 10_000)
  const child = fork(program, ['submit', state, String(count)], { execArgv: [...process.execArgv, '--expose-gc'] })
  const [run] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [SubmitRun | number]
  if (typeof run === 'number') throw new Error(`The process that submits ended with exit code ${run}.`)
  const { accepted, complete, idleMegabytes, peakMegabytes } = run
  const name = count.toLocaleString('en')
  return [
    atMost(`(d) ${name} at once: memory above idle`, peakMegabytes - idleMegabytes, 'MB', 150),
    told(`(d) ${name} at once: all accepted after`, Math.max(...accepted) / 1_000, 's'),
    ...[0.5, 0.9].map((part) =>
      told(`(d) ${part * 100} % accepted after`, (sorted(accepted)[Math.floor(count * part)] as number) / 1_000, 's'),
    ),
    ...complete.map((seconds, at) => told(`(d) ${(at + 1) * 10} % complete after`, seconds, 's')),
  ]
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)
