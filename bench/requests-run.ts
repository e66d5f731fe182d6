import { small } from './requests/people.js'
import { stateService } from './requests/state-service.js'

/*
 * Process of a benchmark of requests. Arguments: what it does, the address of the state, and how many requests it submits.
 *   work     runs what waits, until whoever asked is gone
 *   submit   submits all requests at once and runs them; tells how long each took to be accepted, how much was run by when,
 *            and what the process held at most above what it held before
 */
export interface SubmitRun {
  /** Milliseconds until a request was accepted, in order. */
  readonly accepted: readonly number[]
  /** Seconds until each tenth of them was complete. */
  readonly complete: readonly number[]
  readonly idleMegabytes: number
  readonly peakMegabytes: number
}

process.on('disconnect', () => process.exit())

const [way, state, count] = process.argv.slice(2) as ['work' | 'submit', string, string]
const megabytes = () => process.memoryUsage().rss / 1024 / 1024

async function work(): Promise<void> {
  const [go] = [new Promise<void>((resolve) => process.once('message', () => resolve()))]
  process.send?.('ready')
  await go
  stateService({ state, works: true, sweepSeconds: 10 })
}

async function submit(): Promise<void> {
  const privacy = stateService({ state, works: true, sweepSeconds: 5 })
  const submitted = (number: number) =>
    privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: small(number) } })
  // What a process needs once is there before it is measured.
  for (let number = 1; number <= 50; number++) await privacy.requests.settled((await submitted(number)).id)
  globalThis.gc?.()
  const idleMegabytes = megabytes()
  let peakMegabytes = idleMegabytes
  const timer = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, megabytes())
  }, 20)
  const from = performance.now()
  const total = Number(count)
  let done = 0
  const complete: number[] = []
  const all = new Promise<void>((resolve) => {
    privacy.on((event) => {
      if (event.type !== 'request' || event.status !== 'complete') return
      done++
      if (done % Math.max(1, Math.floor(total / 10)) === 0) complete.push((performance.now() - from) / 1_000)
      if (done === total) resolve()
    })
  })
  const accepted = await Promise.all(
    Array.from({ length: total }, async (_, at) => {
      await submitted(51 + (at % 900))
      return performance.now() - from
    }),
  )
  await all
  clearInterval(timer)
  process.send?.({ accepted, complete, idleMegabytes, peakMegabytes } satisfies SubmitRun)
  await privacy.close()
  process.disconnect?.()
}

await (way === 'work' ? work() : submit())
