import type { Cut, cuttingProxy } from '../../../core/test/erasure/cutting-proxy.js'
import { erasedOf } from '../../../core/test/erasure/erasure-world.js'
import type { crashWorlds } from './crash-world.js'

export type KillAt = Pick<Cut, 'command' | 'moment'>
export type KilledRun = Awaited<ReturnType<typeof killedRun>>

/**
 * Runs a request in a process, which is killed at a command that it sends to the server behind the proxy, and in another one to its
 * end. `ending` has to be the same wherever that was.
 */
export async function killedRun(
  openWorld: ReturnType<typeof crashWorlds>,
  proxy: Awaited<ReturnType<typeof cuttingProxy>>,
  submission: object,
  at?: KillAt,
) {
  const world = await openWorld({ url: proxy.url })
  let kill: () => void = () => {}
  proxy.begin(at && { ...at, holds: true, onCut: () => kill() })
  const child = await world.startChild({ submission })
  kill = () => child.signal('SIGKILL')
  const { killed } = await child.ended
  const commands = [...proxy.commands()]
  proxy.heal()
  const [id] = await world.requests()
  const { request, doubts, package: text } = await world.endingOf(id as string)
  await Promise.all([world.close(), proxy.close()])
  const lacks = (request.results ?? []).flatMap(({ collection, writeLimits }) =>
    writeLimits ? [[collection, writeLimits] as const] : [],
  )
  return {
    ending: {
      end: request.failure ?? request.status,
      ...{ erased: erasedOf(request), writeLimits: Object.fromEntries(lacks), doubts, package: rowsOf(text) },
    },
    ...{ commands, killed },
  }
}

/** The rows of a package by their tables. They come in no particular order. */
function rowsOf(text: string): Readonly<Record<string, readonly string[]>> {
  const tables = Object.entries<readonly object[]>(text === '' ? {} : JSON.parse(text))
  return Object.fromEntries(tables.map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row)).sort()]))
}

/**
 * Once rows are written, from command `writing` on: before the first statement of each kind, and after the last. Earlier: after the
 * first. `kindOf` gives statements that differ in their values alone one kind, and what is no statement none.
 */
export function killsAt(
  commands: readonly string[],
  writing: number,
  kindOf: (command: string) => string | undefined,
): KillAt[] {
  const kinds = new Map<string, number[]>()
  for (const [at, command] of commands.entries()) {
    const kind = kindOf(command)
    if (kind === undefined) continue
    const name = `${at >= writing} ${kind}`
    kinds.set(name, [...(kinds.get(name) ?? []), at])
  }
  return [...kinds.values()].flatMap((places): KillAt[] => {
    const [first, last] = [places[0] as number, places.at(-1) as number]
    if (first < writing) return [{ command: first + 1, moment: 'after' }]
    return [
      { command: first + 1, moment: 'before' },
      { command: last + 1, moment: 'after' },
    ]
  })
}
