import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** Something that is done to what runs. */
export type Attack = () => Promise<void>

const frozenMs = 7_000

/** Processes of a program, and what is done to them. Those that end are replaced. */
export function attackedWorkers(program: string, order: object, random: () => number) {
  const start = () => {
    const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['ignore', 'inherit', 'inherit'] })
    return { child, gone: once(child, 'exit') }
  }
  const workers = [start(), start(), start()]
  const frozen = new Set<ChildProcess>()
  const thaw = (child: ChildProcess) => {
    child.kill('SIGCONT')
    frozen.delete(child)
  }

  async function end(at: number, signal: NodeJS.Signals): Promise<void> {
    const { child, gone } = workers[at] as (typeof workers)[number]
    child.kill(signal)
    await gone
    frozen.delete(child)
  }

  async function replace(at: number, signal: NodeJS.Signals): Promise<void> {
    const ended = workers[at]
    await end(at, signal)
    // Two attacks may have ended the same one.
    if (workers[at] === ended) workers[at] = start()
  }

  return {
    async kill() {
      await replace(Math.floor(random() * workers.length), 'SIGKILL')
    },
    /** Longer than its leases last. One that is frozen already stays so, or the others would never work. */
    async freeze() {
      const { child } = workers[Math.floor(random() * workers.length)] as (typeof workers)[number]
      if (frozen.has(child)) return
      frozen.add(child)
      child.kill('SIGSTOP')
      void delay(frozenMs).then(() => thaw(child))
    },
    async deploy() {
      const at = workers.findIndex(({ child }) => !frozen.has(child))
      if (at >= 0) await replace(at, 'SIGTERM')
    },
    /** Lets all of them go on, and tells them to end. What they still had in hand has had its effect then, if any. */
    async close() {
      for (const { child } of workers) thaw(child)
      await Promise.all(workers.map((_, at) => end(at, 'SIGTERM')))
    },
  }
}

export interface AttackPlan {
  readonly random: () => number
  /** One of them every second. */
  readonly steady: Readonly<Record<string, Attack>>
  /** One after the other, beside the steady ones. */
  readonly beside: Readonly<Record<string, Attack>>
  /** How often each of these has to happen, beside the steady ones. They happen no more often. */
  readonly certain: Readonly<Record<string, { readonly times: number; readonly attack: Attack }>>
  /** Whether it is over, as far as what is certain has happened. */
  readonly isOver: () => Promise<boolean>
}

/** Attacks until it is over. Resolves with how often each attack happened. */
export async function attackUntil({ random, steady, beside, certain, isOver }: AttackPlan) {
  const counts = new Map<string, number>()
  const happened = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const left = Object.entries(certain).flatMap(([name, { times, attack }]) =>
    Array.from({ length: times }, () => ({ name, attack })),
  )
  let isEnding = false

  const steadily = async () => {
    while (!isEnding) {
      const [name, attack] = oneOf(Object.entries(steady))
      happened(name)
      await Promise.all([attack(), delay(1_000)])
    }
  }
  const besides = async () => {
    while (left.length > 0 || !(await isOver())) {
      const isCertain = left.length > 0 && random() < 0.4
      const [name, attack] = oneOf(Object.entries(beside))
      const next = isCertain ? left.splice(Math.floor(random() * left.length), 1)[0] : undefined
      happened(next?.name ?? name)
      await Promise.all([(next?.attack ?? attack)(), delay(1_000)])
    }
    isEnding = true
  }
  await Promise.all([steadily(), besides()])
  return [...counts].sort().map(([name, times]) => `${name} ${times}`)
}
