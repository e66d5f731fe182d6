import { randomBytes } from 'node:crypto'
import {
  createPrivacyService,
  type ErasureReceipt,
  isPrivacyError,
  memoryBlobs,
  memoryStorage,
  type Plan,
  type PrivacyRequest,
  type PrivacyService,
} from '@habeas/core'
import { findOptionProblem } from '../../src/options.js'
import { describeWorld, type Mode, policyOf } from './describe-world.js'
import { changeOf, interrupted } from './meanwhile.js'
import type { Rows, World } from './world.js'
import { isRare, type WorldShape } from './world-shape.js'
import type { Dump, WorldStore } from './world-store.js'

/** A time in which the truth did not change: all that changed in it, the engine has changed. */
export interface Phase {
  readonly rows: Rows
  readonly before: Dump
  readonly after: Dump
}

/** What one request has come to. */
export interface Asked {
  readonly request: PrivacyRequest
  readonly plan: Plan | undefined
  readonly receipt: ErasureReceipt | undefined
  /** Texts of what it hands out. */
  readonly packages: readonly string[]
  readonly accepted: boolean
  /** Tags of rows that had been changed when it ended or paused. */
  readonly changed: readonly string[]
}

export interface WorldRun {
  readonly world: World
  readonly mode: Mode
  /** One, or two where the first one stopped before it did anything, and all was asked again with everything accepted. */
  readonly asked: readonly Asked[]
  readonly phases: readonly Phase[]
}

const encryptionKey = randomBytes(32).toString('base64')
const patience = 180_000

const knowsOwnership = findOptionProblem({ encryptionKey, ownership: 'declared' })?.option !== 'ownership'

/** Tags of the rows that are not what they were, or gone, or new. */
export function changedRows({ before, after }: Pick<Phase, 'before' | 'after'>): string[] {
  const isSame = (tag: string) => JSON.stringify(before.get(tag)) === JSON.stringify(after.get(tag))
  return [...new Set([...before.keys(), ...after.keys()])].filter((tag) => !isSame(tag))
}

async function openService(
  world: World,
  mode: Mode,
  store: WorldStore,
  connector: WorldStore['connector'],
  shape: WorldShape,
) {
  const deletesAll = isRare(shape.deletes, 30)
  const privacy = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey,
    connectors: [connector],
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    ...(world.declared && knowsOwnership && { ownership: 'declared' }),
  })
  for (const document of describeWorld(world, mode, deletesAll)) {
    const key = document.service_key as 'a' | 'b'
    const { second } = world
    if (key === 'b' && second === 'missing') {
      await privacy.datasets.put(document as never)
      continue
    }
    const access = key === 'b' && second === 'read-only' ? 'read' : 'write'
    const disabled = key === 'b' && second === 'disabled'
    await privacy.connections.put({ key, connectionType: connector.type, access, disabled })
    await privacy.connections.setSecrets(key, store.secrets(key) as never, { verify: false })
    await privacy.connections.attachDataset(key, document as never)
  }
  await privacy.policies.put(policyOf(mode, { delivers: isRare(shape.delivers, 30), deletesAll }) as never)
  return privacy
}

/** Resolves once a request has ended, or waits for somebody. */
async function stopped(privacy: PrivacyService, id: string): Promise<PrivacyRequest> {
  const deadline = Date.now() + patience
  let wake = () => {}
  const forget = privacy.on((event) => {
    if (event.type === 'request') wake()
  })
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, 1_000).unref()
      })
      const request = await privacy.requests.get(id)
      if (['complete', 'error', 'paused', 'requires_input', 'canceled', 'denied'].includes(request.status))
        return request
      if (Date.now() > deadline) throw new Error(`after ${patience} ms the request is still ${request.status}`)
      await woken
    }
  } finally {
    forget()
  }
}

async function packagesOf(privacy: PrivacyService, { id, packages = [] }: PrivacyRequest): Promise<string[]> {
  const texts: string[] = []
  for (const { rule } of packages) {
    const parts: Uint8Array[] = []
    for await (const part of privacy.requests.readPackage(id, { rule })) parts.push(part)
    texts.push(Buffer.concat(parts).toString())
  }
  return texts
}

const receiptOf = (privacy: PrivacyService, id: string): Promise<ErasureReceipt | undefined> =>
  privacy.requests.receipt(id).catch((error: unknown) => {
    if (isPrivacyError(error, 'not_found')) return undefined
    throw error
  })

/** Lets one request run in a world, while others change it. */
export async function runWorld(world: World, mode: Mode, shape: WorldShape, store: WorldStore): Promise<WorldRun> {
  const phases: Phase[] = []
  let now = { rows: world.rows, before: await store.dump() }
  async function happen(into?: string) {
    const { change } = shape
    if (!change) return
    let rows: Rows = now.rows
    const written = await store.write((present) => {
      const meanwhile = changeOf(world, rows, change, present)
      // Between the last look at another database and the write of this one nobody can see what happens there.
      if (into !== undefined && meanwhile?.crossed.has(into)) return undefined
      if (meanwhile) rows = meanwhile.rows
      return meanwhile
    })
    if (!written) return
    phases.push({ ...now, after: written.before })
    now = { rows, before: written.after }
  }
  const { change } = shape
  const moment = change && (mode === 'access' ? { ...change, moment: 'read' as const } : change)
  const connector = moment ? interrupted(store.connector, moment, happen) : store.connector
  const privacy = await openService(world, mode, store, connector, shape)
  const asked: Asked[] = []
  try {
    for (const accepts of shape.accepts ? [true] : [false, true]) {
      const accepted = accepts && { acceptUnsearched: true, acceptUndecided: true, acceptUnconfirmed: true }
      const submission = { policyKey: 'everything', identities: world.identities, ...accepted }
      const { id } = await privacy.requests.submit(submission)
      const request = await stopped(privacy, id)
      const packages = await packagesOf(privacy, request)
      const receipt = await receiptOf(privacy, id)
      const plan = await privacy.requests.plan(id)
      const current = { ...now, after: await store.dump() }
      const changed = [...phases, current].flatMap((phase) => changedRows(phase))
      asked.push({ request, plan, receipt, packages, changed, accepted: accepts })
      if (request.status === 'complete' || accepts || changed.length > 0) break
      await privacy.requests.cancel(id)
    }
    phases.push({ ...now, after: await store.dump() })
    return { world, mode, asked, phases }
  } finally {
    await privacy.close()
  }
}
