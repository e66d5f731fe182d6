/** One line of a result: what was measured, and whether it keeps within what the requirement states. */
export interface Measurement {
  readonly measure: string
  readonly value: number
  readonly unit: string
  /** As the requirement words it; nothing for what is told for orientation. */
  readonly bound?: string
  readonly holds?: boolean
}

export function atMost(measure: string, value: number, unit: string, most: number): Measurement {
  return { measure, value: rounded(value), unit, bound: `≤ ${most}`, holds: value <= most }
}

export function atLeast(measure: string, value: number, unit: string, least: number): Measurement {
  return { measure, value: rounded(value), unit, bound: `≥ ${least}`, holds: value >= least }
}

/** For a bound of more than one number. */
export function holdsIf(measure: string, value: number, unit: string, bound: string, holds: boolean): Measurement {
  return { measure, value: rounded(value), unit, bound, holds }
}

export function told(measure: string, value: number, unit: string): Measurement {
  return { measure, value: rounded(value), unit }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Runs two things in turn, the first of a pair changing each time, so that both meet the same weather. */
export async function alternate<Result>(
  rounds: number,
  first: () => Promise<Result>,
  second: () => Promise<Result>,
): Promise<[Result[], Result[]]> {
  const results: [Result[], Result[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      results[which].push(await (which === 0 ? first() : second()))
    }
  }
  return results
}

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const rounded = (value: number) => Number(value.toPrecision(4))
