import { startPostgres } from '@habeas/testkit'
import fc from 'fast-check'
import pg from 'pg'
import { it } from 'vitest'
import { buildWorld } from './build-world.js'
import { memoryWorld } from './memory-world.js'
import { noCaseCollation, postgresWorld } from './postgres-world.js'
import { runWorld } from './run-world.js'
import { worldArbitrary } from './world-shape.js'
it('tries', { timeout: 300_000 }, async () => {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(noCaseCollation)
  const t0 = Date.now()
  const shapes = fc.sample(worldArbitrary, { numRuns: 60, seed: 5 })
  console.log('gen', (Date.now() - t0) / 60)
  let n = 0
  const times: Record<string, number[]> = {}
  const states: Record<string, number> = {}
  for (const shape of shapes) {
    n++
    const world = buildWorld(shape)
    const mode = (['access', 'mask', 'delete'] as const)[n % 3]!
    const t = performance.now()
    try {
      const store = world.store === 'memory' ? memoryWorld(world) : await postgresWorld(world, server.url, client, `w${n}`)
      const t1 = performance.now()
      const run = await runWorld(world, mode, shape, store)
      const t2 = performance.now()
      await store.close()
      const key = `${world.store} ${mode} ${run.asked.map((a) => a.request.status)} phases ${run.phases.length}`
      states[key] = (states[key] ?? 0) + 1
      ;(times[world.store] ??= []).push(t1 - t, t2 - t1, performance.now() - t2)
      if (n === 2 || n===3) console.log(JSON.stringify(run.asked[0], null, 1).slice(0, 6000))
      const f = run.asked.at(-1)?.request.failure
      if (f) console.log(n, world.store, mode, f)
    } catch (error) {
      console.log('FAILED', n, world.store, error, (error as {cause?: unknown}).cause)
    }
  }
  for (const [k, v] of Object.entries(times)) console.log(k, [0,1,2].map((i) => { const l = v.filter((_, x) => x % 3 === i); return l.reduce((a,b)=>a+b,0)/l.length }))
  console.log(states)
  await client.end()
  await server.stop()
})
