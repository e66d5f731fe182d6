import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { atLeast, median, told } from '../measurement.js'
import { size, small } from './people.js'
import { type Recorded, recorded } from './recorded.js'
import { describePeople, stateService } from './state-service.js'

const program = fileURLToPath(new URL('../requests-run.ts', import.meta.url))
/** As many requests as a service runs at once by default. */
const lanes = 2
/** Runs before the clock starts. A worker runs for days, and a process still becomes faster after its first thousand. */
const warmUps = 1_500

/** (b) Requests a minute for small subjects, against their statements alone. */
export async function throughput(people: string, makeDatabase: (name: string, template?: string) => Promise<string>) {
  const requests = size('REQUESTS', 3_000)
  const state = await makeDatabase('waiting')
  const submitting = stateService({ state, works: false })
  await describePeople(submitting, people)
  const ids: string[] = []
  for (let number = 1; number <= warmUps + requests; number++) {
    const identity = { email: small(1 + (number % 900)) }
    ids.push((await submitting.requests.submit({ policyKey: 'default_access_policy', identity })).id)
  }
  await submitting.close()
  const statements = await recordedRuns(await makeDatabase('recorded', 'waiting'), ids)
  const counted = statements.slice(warmUps)
  // By turns, since a machine that others use is not as fast at one time as at another.
  const turns: { readonly worker: number; readonly byHand: number }[] = []
  for (let turn = 1; turn <= 3; turn++) {
    const worker = await workedOff(await makeDatabase(`worker_${turn}`, 'waiting'), 1, requests)
    const byHand = await replayed(counted, { state: await makeDatabase(`replayed_${turn}`, 'waiting'), people })
    console.log(`turn ${turn}: 1 worker ${Math.round(worker)}, by hand ${Math.round(byHand)} requests a minute`)
    turns.push({ worker, byHand })
  }
  const measurements = [told('(b) 1 worker', median(turns.map(({ worker }) => worker)), 'requests a minute')]
  for (const workers of [2, 4]) {
    const rate = await workedOff(await makeDatabase(`workers_${workers}`, 'waiting'), workers, requests)
    console.log(`${workers} workers: ${Math.round(rate)} requests a minute`)
    measurements.push(told(`(b) ${workers} workers`, rate, 'requests a minute'))
  }
  measurements.push(
    told('(b) statements of a run, state and people', counted.flat().length / requests, 'statements'),
    told('(b) the same statements by hand', median(turns.map(({ byHand }) => byHand)), 'requests a minute'),
    atLeast('(b) 1 worker / by hand', median(turns.map(({ worker, byHand }) => worker / byHand)), 'times', 0.5),
  )
  return measurements
}

/** Requests a minute, from when the first have been run to the end. */
async function workedOff(state: string, workers: number, requests: number): Promise<number> {
  const children = Array.from({ length: workers }, () => fork(program, ['work', state]))
  const client = new pg.Client(state)
  await client.connect()
  try {
    await Promise.all(children.map((child) => once(child, 'message')))
    for (const child of children) child.send('go')
    let begun: { readonly at: number; readonly count: number } | undefined
    for (;;) {
      const count = await completeIn(client)
      const at = performance.now()
      if (!begun && count >= warmUps) begun = { at, count }
      if (begun && count >= warmUps + requests) return ((count - begun.count) / (at - begun.at)) * 60_000
      // what is replayed runs without such questions, and each goes through all requests
      await pause(500)
    }
  } finally {
    await client.end()
    await Promise.all(children.map(ended))
  }
}

async function completeIn(client: pg.Client): Promise<number> {
  const where = `document ->> 'status' = 'complete'`
  const { rows } = await client.query(
    `select count(*)::integer as count from habeas.record_privacy_request where ${where}`,
  )
  return rows[0].count
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.disconnect()
  await once(child, 'exit')
}

/** The statements of each run, one request after the other. */
async function recordedRuns(state: string, ids: readonly string[]): Promise<Recorded[][]> {
  const runs: Recorded[][] = []
  const privacy = stateService({ state, works: false })
  const all = await recorded(async () => {
    for (const id of ids) await privacy.requests.run(id)
    await privacy.close()
  })
  let from = 0
  // A run begins with the look at its keys.
  for (const [at, { text }] of all.entries()) {
    if (!text.includes('record_service_key"') || at === from) continue
    runs.push(all.slice(from, at))
    from = at
  }
  return [...runs, all.slice(from)]
}

/** Requests a minute where only their statements are sent, as many requests at once as a worker runs. */
async function replayed(runs: readonly Recorded[][], urls: { state: string; people: string }): Promise<number> {
  const left = [...runs]
  const peopleName = new URL(urls.people).pathname.slice(1)
  const clients = Array.from({ length: lanes }, () => ({
    state: new pg.Client(urls.state),
    people: new pg.Client(urls.people),
  }))
  for (const { state, people } of clients) await Promise.all([state.connect(), people.connect()])
  const from = performance.now()
  await Promise.all(
    clients.map(async (lane) => {
      for (let run = left.shift(); run; run = left.shift()) {
        for (const { database, text, values } of run) {
          const client = database === peopleName ? lane.people : lane.state
          if (values.length > 0) await client.query(text, values)
          else await client.query(text)
        }
      }
    }),
  )
  const milliseconds = performance.now() - from
  // What was replayed has to have done what the runs did, or its time says nothing.
  const done = await completeIn(clients[0]?.state as pg.Client)
  if (done !== runs.length) throw new Error(`${done} of ${runs.length} requests are complete after they were replayed.`)
  for (const { state, people } of clients) await Promise.all([state.end(), people.end()])
  return (runs.length / milliseconds) * 60_000
}
