import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import type { HttpServer } from './http-server.js'
import { alternate, atLeast, type Measurement, median, told } from './measurement.js'

const program = fileURLToPath(new URL('http-server.ts', import.meta.url))
const pairs = 7
const seconds = 4
const connections = 10

/** What a call through the router costs beyond a bare Express route that answers the same. */
export async function http(): Promise<readonly Measurement[]> {
  const server = fork(program)
  try {
    const [{ url, token }] = (await once(server, 'message')) as [HttpServer]
    const headers = { authorization: `Bearer ${token}` }
    const load = (path: string) => async () => {
      const result = await autocannon({ url: `${url}${path}`, headers, connections, duration: seconds })
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${path} failed ${result.non2xx + result.errors} times.`)
      return { perSecond: result.requests.average, p99: result.latency.p99 }
    }
    const [routed, bare] = [load('/api/v1/connection'), load('/bare')]
    // both are compiled before they are measured
    await routed()
    await bare()
    const [ours, theirs] = await alternate(pairs, routed, bare)
    const rate = (runs: typeof ours) => median(runs.map(({ perSecond }) => perSecond))
    const latency = (runs: typeof ours) => median(runs.map(({ p99 }) => p99))
    return [
      told('GET /api/v1/connection through Express', rate(ours), 'requests/s'),
      told('bare Express route with the same JSON', rate(theirs), 'requests/s'),
      atLeast('requests per second, router / bare route', rate(ours) / rate(theirs), 'times', 0.5),
      told('latency of 99 % of the calls, router', latency(ours), 'ms'),
      told('latency of 99 % of the calls, bare route', latency(theirs), 'ms'),
    ]
  } finally {
    server.kill()
  }
}
