import { setTimeout as pause } from 'node:timers/promises'
import { atMost, type Measurement, median, told } from '../measurement.js'
import { large, size, small } from './people.js'
import { describePeople, stateService } from './state-service.js'

const rounds = 5
/** A small request comes every so many times the duration of one, so that they are as much work to a slow machine as to a fast one. */
const pauseFactor = 3

/** (c) How long small requests take beside large ones, and without them. */
export async function beside(people: string, state: string): Promise<readonly Measurement[]> {
  const privacy = stateService({ state, works: true })
  const submit = async (email: string) =>
    (await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email } })).id
  const oneSmall = async (number: number) => {
    const from = performance.now()
    await privacy.requests.settled(await submit(small(number)))
    return performance.now() - from
  }
  const smallOnes = async (pauseMs: number) => {
    const taken: Promise<number>[] = []
    for (let number = 1; number <= size('SMALL', 40); number++) {
      taken.push(oneSmall(number))
      await pause(pauseMs)
    }
    return p95(await Promise.all(taken))
  }
  try {
    await describePeople(privacy, people)
    await smallOnes(50)
    const inTurn: number[] = []
    for (let number = 1; number <= size('SMALL', 40); number++) inTurn.push(await oneSmall(number))
    const pauseMs = pauseFactor * median(inTurn)
    console.log(`a small request every ${Math.round(pauseMs)} ms`)
    const alone: number[] = []
    const together: number[] = []
    for (let round = 0; round < size('ROUNDS', rounds); round++) {
      alone.push(await smallOnes(pauseMs))
      const ids = await Promise.all(Array.from({ length: size('LARGE', 5) }, (_, at) => submit(large(at + 1))))
      together.push(await smallOnes(pauseMs))
      await Promise.all(ids.map((id) => privacy.requests.settled(id)))
      console.log(
        `round ${round + 1}: ${Math.round(alone.at(-1)!)} ms alone, ${Math.round(together.at(-1)!)} ms beside`,
      )
    }
    const ratios = together.map((value, at) => value / (alone[at] as number))
    return [
      told('(c) a small request every', pauseMs, 'ms'),
      told('(c) p95 of small requests alone', median(alone), 'ms'),
      told('(c) p95 beside large requests', median(together), 'ms'),
      atMost('(c) beside / alone', median(ratios), 'times', 4),
    ]
  } finally {
    await privacy.close()
  }
}

function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] as number
}
