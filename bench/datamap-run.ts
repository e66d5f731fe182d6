import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createPrivacyService } from '@habeas/core'
import { createPrivacyRouter } from '@habeas/http-express'
import express from 'express'

/*
 * Process that reads, validates and applies a manifest, evaluates 20 policies over its systems and exports the data map, and tells
 * the CPU time of each and how long it held the event loop at most. Argument: how many datasets it has, of five collections of 20
 * fields each. Every dataset has a system that declares it. It serves the interface meanwhile, and tells where before it begins.
 */
export interface DatamapServer {
  /** The address of its health. */
  readonly health: string
}

export interface DatamapRun {
  readonly read: DatamapPart
  readonly validate: DatamapPart
  readonly apply: DatamapPart
  readonly evaluate: DatamapPart
  readonly export: DatamapPart
  readonly peakMegabytes: number
}

interface DatamapPart {
  readonly cpuSeconds: number
  /** For how long the event loop was held at most: what the process ran between two turns of it. */
  readonly longestHeldMs: number
}

// whoever asked is gone
process.on('disconnect', () => process.exit())

const policyKeys = Array.from({ length: 20 }, (_, at) => `policy_${at}`)

const privacy = createPrivacyService({ encryptionKey: randomBytes(32).toString('base64') })
const app = express()
app.use(createPrivacyRouter(privacy))
const server = app.listen(0, '127.0.0.1')
try {
  await once(server, 'listening')
  const all = Array.from({ length: Number(process.argv[2]) }, (_, at) => at)
  const text = JSON.stringify({ dataset: all.map(dataset) })
  // what a process does once is not counted
  await privacy.manifests.validate(JSON.stringify({ dataset: [0, 1, 2, 3].map(dataset) }))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : ''
  const health = `http://127.0.0.1:${port}/health`
  await (await fetch(health)).text()
  process.send?.({ health } satisfies DatamapServer)
  let manifest: Awaited<ReturnType<typeof privacy.manifests.read>> | undefined
  const read = await measured(async () => {
    manifest = await privacy.manifests.read(text)
  })
  const validate = await measured(() => written('validate'))
  const apply = await measured(() => written('apply'))
  await privacy.manifests.apply({ system: all.map(system), policy: policyKeys.map(policy) })
  const evaluate = await measured(async () => {
    for (const key of policyKeys) await privacy.policies.evaluate(key)
  })
  const exported = await measured(async () => {
    for (const format of ['csv', 'xlsx'] as const) await privacy.dataMap.export({ view: 'map', format })
  })
  const peakMegabytes = process.resourceUsage().maxRSS / 1024
  const run = { read, validate, apply, evaluate, export: exported, peakMegabytes } satisfies DatamapRun
  process.send?.(run, () => process.disconnect())

  async function written(call: 'validate' | 'apply'): Promise<void> {
    const { dataset: outcome } = await privacy.manifests[call](manifest as object)
    if (outcome?.failed.length !== 0) throw new Error(outcome?.failed[0]?.message)
  }
} finally {
  server.close()
  await privacy.close()
}

/** Every tenth refers to another dataset, the others to collections of their own. */
function dataset(at: number) {
  const key = `dataset_${at}`
  const references = [{ dataset: at % 10 === 9 ? `dataset_${at - 1}` : key, field: 'people.id', direction: 'from' }]
  const own = [
    { name: 'id', service_meta: { primary_key: true } },
    { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
  ]
  const referring = [own[0], { name: 'person_id', service_meta: { references } }]
  const fields = Array.from({ length: 18 }, (_, field) => ({ name: `field_${field}`, data_categories: ['user.name'] }))
  const names = ['people', 'orders', 'messages', 'visits', 'payments']
  const collections = names.map((name, place) => ({ name, fields: [...(place === 0 ? own : referring), ...fields] }))
  return { service_key: key, name: `Dataset ${at}`, collections }
}

function policy(key: string, at: number) {
  const categories = ['user.name', 'user.contact', 'user.financial', 'user.government_id', 'user.location']
  const data_categories = { matches: 'ANY', values: [categories[at % categories.length]] }
  const data_uses = { matches: at % 2 === 0 ? 'ANY' : 'NONE', values: ['advertising'] }
  return { service_key: key, rules: [{ service_key: 'prohibited', data_categories, data_uses }] }
}

function system(at: number) {
  const use = at % 100 === 0 ? 'advertising.third_party' : 'provide.service'
  const declaration = { data_use: use, data_subjects: ['customer'], data_categories: ['user.contact.email'] }
  return {
    ...{ service_key: `system_${at}`, system_type: 'Service' },
    privacy_declarations: [{ ...declaration, dataset_references: [`dataset_${at}`] }],
  }
}

/** The CPU time of work, and the longest time in which nothing else had a turn. */
async function measured(work: () => Promise<void>): Promise<DatamapPart> {
  let [longestHeldMs, isDone] = [0, false]
  let ran = ranMs()
  const turn = () => {
    longestHeldMs = Math.max(longestHeldMs, ranMs() - ran)
    ran = ranMs()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const from = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(from)
  isDone = true
  await new Promise((resolve) => setImmediate(resolve))
  return { cpuSeconds: (user + system) / 1_000_000, longestHeldMs }
}

/** How long the main thread has run, where the system says so. Garbage is collected on others as well. */
function ranMs(): number {
  const { platform } = process
  return platform === 'linux'
    ? Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1_000_000
    : performance.now()
}
