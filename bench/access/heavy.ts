import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { HeavyRun, Way } from '../heavy-run.js'
import type { KeyKind } from './cursors.js'
import type { HeavySubject } from './heavy-subjects.js'

const program = fileURLToPath(new URL('../heavy-run.ts', import.meta.url))

/** Reads a heavy subject in a process of its own, so that no run inherits the memory or the warmth of another. */
export async function heavyRun(
  way: Way,
  url: string,
  subject: HeavySubject,
  kind: KeyKind = 'integer',
): Promise<HeavyRun> {
  const child = fork(program, [way, url, subject.email, kind])
  const outcome = await Promise.race([once(child, 'message'), once(child, 'exit')])
  const [run] = outcome as [HeavyRun | number]
  if (typeof run === 'number') throw new Error(`The run of ${subject.email} ended with exit code ${run}.`)
  if (child.exitCode === null) await once(child, 'exit')
  return run
}
