import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connector } from '@habeas/core'
import pg from 'pg'
import { type CrashCase, openCrashService } from './crash-service.js'

/** What one process of a case is told, as the JSON of its first argument. */
export interface ChildOrder extends CrashCase {
  /** What is submitted. */
  readonly submission: object
  /** The step at which it kills itself, and the how manieth time it comes there. Absent: it goes on to the end. */
  readonly kill?: { readonly step: string; readonly time: number }
  /** Of its connector. Absent: what the program says. */
  readonly connectorOptions?: object
  /** True: it runs one request at once. */
  readonly alone?: boolean
  /** The step at which it waits until the test gives advisory lock 42 back. */
  readonly pause?: string
  /** A collection that is not read before a step, so that runs are slow enough to have their results saved. */
  readonly wait?: { readonly collection: string; readonly step: string }
}

/** The life of one process: it submits a request, and ends when that has, or is killed. */
export async function runCrashChild(connectorOf: (type: string, options: object) => Connector): Promise<void> {
  const {
    submission,
    kill,
    pause: pausedAt,
    wait,
    alone,
    connectorOptions = {},
    ...place
  }: ChildOrder = JSON.parse(process.argv[2] as string)
  const pool = new pg.Pool({ connectionString: place.url, max: 5 })
  pool.on('error', () => {})
  const trace: string[] = []

  const privacy = openCrashService(place, {
    pool,
    ...(alone && { concurrency: 1 }),
    connector: connectorOf(place.type, connectorOptions),
    async reached(step) {
      trace.push(step)
      if (step === kill?.step && trace.filter((each) => each === step).length === kill.time) {
        process.kill(process.pid, 'SIGKILL')
        // Nothing happens any more.
        await new Promise(() => {})
      }
      // Other requests that it takes go on.
      if (step === pausedAt && trace.indexOf(step) === trace.length - 1)
        await pool.query('select pg_advisory_xact_lock(42)')
      // A run whose saving fails goes on as well, after a while.
      const isEarly = () => wait !== undefined && !trace.includes(wait.step)
      for (let tries = 0; step === `${wait?.collection}: before it is read` && isEarly() && tries < 200; tries++) {
        await pause(25)
      }
    },
  })

  const { id } = await privacy.requests.submit(submission as never)
  // As in a deploy: the service closes, and the process ends by itself.
  let isTold = false
  const told = once(process, 'SIGTERM').then(async () => {
    isTold = true
    await privacy.close()
    await pool.end()
    process.stdout.write(JSON.stringify({ id, trace }))
    process.exit()
  })
  const settled = privacy.requests.settled(id).catch((error) => {
    if (!isTold) throw error
    return told
  })
  const { status } = await Promise.race([settled, told])
  while ((await privacy.requests.get(id)).mails?.some((mail) => mail.status === 'waiting')) await pause(50)
  await privacy.close()
  await pool.end()
  process.stdout.write(JSON.stringify({ id, status, trace }))
}
