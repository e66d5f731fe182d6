import { createHash } from 'node:crypto'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { CheckpointRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { Plan, PlannedComponent } from '../../rules/plan/plan.js'
import type { Lease } from '../run/hold-lease.js'
import type { Contribution } from './collection-run.js'
import type { Key } from './key-of.js'
import { type KeyPart, type KeySet, keySet } from './key-set.js'
import type { AskedKeys, CollectionOutcome, ComponentOutcome, OpenKeys } from './run-component.js'
import type { SpoolRoom } from './spool.js'

interface SavedKeys {
  readonly to: string
  readonly entry: number
  readonly own: string
  readonly indirect: string
  readonly ambiguous?: boolean
}

/** Blobs of further keys: of open references, of what was asked for, of what was learned. */
interface SavedSets {
  readonly open: readonly { readonly open: number; readonly keys: string }[]
  readonly asked: readonly (Omit<AskedKeys, 'keys'> & { readonly keys: readonly string[] })[]
  readonly learned: readonly { readonly property: string; readonly keys: string }[]
}

interface SavedComponent {
  /** ISO 8601, UTC. */
  readonly foundAt: string
  readonly collections: readonly CollectionOutcome[]
  readonly keys: readonly SavedKeys[]
  readonly sets: SavedSets
}

/** For how long what was found still says whose it is, to an erasure that has written nothing yet. */
export const foundForMs = 3_600_000
/** How long a finished component may wait for others before all are written together; a kill costs at most that. */
const gatherMs = 1_000

/**
 * A hash per component of all its result rests on: its collections as planned, and those it comes after. Equal hashes
 * mean that the checkpoint of an earlier attempt still says what a new run would find.
 */
function componentSignatures(plan: Plan, searched: string): readonly string[] {
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const signatures: string[] = []
  for (const component of plan.components) {
    // What is kept of a collection rests on its own plan, and on the fields its keys were cast for.
    const members = component.members.map((member) => {
      const collection = byAddress.get(member)
      const opens = collection?.open.map(({ open }) => plan.open[open]?.fields)
      return [collection, collection?.links.map((link) => byAddress.get(link.to)?.entries[link.entry]), opens]
    })
    const before = component.needs.map((index) => signatures[index])
    signatures.push(
      createHash('sha256')
        .update(JSON.stringify([members, before, plan.identities, searched]))
        .digest('base64url'),
    )
  }
  return signatures
}

/** Makes finished components durable behind the run, so that a retry reads only what is missing. */
export function checkpoints(options: {
  plan: Plan
  storage: Storage
  write: Lease['write']
  room: SpoolRoom
  requestId: string
  blobKey: (name: string) => string
  /** Another text where other values are searched. */
  searched: string
  now: () => Date
}) {
  const { plan, storage, write, room, requestId, blobKey, searched, now } = options
  const table = storage.table('checkpoint')
  let waiting: { index: number; foundAt: string; outcome: ComponentOutcome }[] = []
  let signatures: readonly string[] | undefined
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> = Promise.resolve()
  const idOf = (component: PlannedComponent) => `${requestId}/${component.members[0]}`

  const signatureOf = (index: number) => {
    signatures ??= componentSignatures(plan, searched)
    return signatures[index] as string
  }
  const save = async ({ index, foundAt, outcome }: (typeof waiting)[number]) => {
    const component = plan.components[index] as PlannedComponent
    for (const collection of outcome.collections) {
      for (const each of collection.spools) {
        each.spooled = await room.persist(blobKey(`${collection.address}/${each.rule}`), each.spooled)
      }
    }
    const keys: SavedKeys[] = []
    let sets = 0
    const store = async (of: KeySet): Promise<string> => {
      if (of.size === 0) return ''
      const blob = blobKey(`${component.members[0]}/keys/${sets++}`)
      await room.write(blob, keyBytes(of))
      return blob
    }
    for (const { to, entry, own, indirect, ambiguous } of outcome.contributions) {
      const stored = { own: await store(own), indirect: await store(indirect) }
      keys.push({ to, entry, ...stored, ...(ambiguous && { ambiguous }) })
    }
    const further: { [Kind in keyof SavedSets]: SavedSets[Kind][number][] } = { open: [], asked: [], learned: [] }
    for (const { open, keys } of outcome.open) further.open.push({ open, keys: await store(keys) })
    for (const { keys, ...asked } of outcome.asked) {
      const blobs: string[] = []
      for (const each of keys) blobs.push(await store(each))
      further.asked.push({ ...asked, keys: blobs })
    }
    for (const [property, keys] of outcome.learned) further.learned.push({ property, keys: await store(keys) })
    const state: SavedComponent = { foundAt, collections: outcome.collections, keys, sets: further }
    const row = { id: idOf(component), version: 1, requestId, signature: signatureOf(index), state }
    await write(async (within) => {
      await within.table('checkpoint').take(row.id)
      await within.table('checkpoint').insert(row)
    })
  }
  /** What cannot be made durable now waits for the next time: a run does not fail because of it, a retry reads more. */
  const saveAll = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    saving = saving.then(async () => {
      const due = waiting
      waiting = []
      for (const each of due) await save(each).catch(() => waiting.push(each))
    })
    return saving
  }

  /** Components whose checkpoint holds for this plan, and whose predecessors' do. */
  const valid = async (rows: ReadonlyMap<string, CheckpointRow>, since: string) => {
    const kept = new Map<number, SavedComponent>()
    for (const [index, component] of plan.components.entries()) {
      const row = rows.get(idOf(component))
      if (row?.signature !== signatureOf(index) || !component.needs.every((each) => kept.has(each))) continue
      const saved = row.state as SavedComponent
      if (saved.foundAt < since) continue
      const blobs = [
        ...saved.collections.flatMap(({ spools }) => spools.flatMap(({ spooled }) => spooled.key ?? [])),
        ...saved.keys.flatMap(({ own, indirect }) => [own, indirect]),
        ...saved.sets.open.map(({ keys }) => keys),
        ...saved.sets.asked.flatMap(({ keys }) => keys),
        ...saved.sets.learned.map(({ keys }) => keys),
      ]
      const there = await Promise.all(blobs.map((blob) => blob === '' || room.has(blob)))
      if (there.every(Boolean)) kept.set(index, saved)
    }
    return kept
  }

  return {
    done(index: number, outcome: ComponentOutcome) {
      waiting.push({ index, foundAt: now().toISOString(), outcome })
      timer ??= setTimeout(() => void saveAll(), gatherMs).unref()
    },
    /**
     * Resolves when everything finished is durable, or could not be made so although it was tried again; with `orFail` it
     * rejects then.
     */
    async save({ orFail = false }: { readonly orFail?: boolean } = {}): Promise<void> {
      const saved = retryWithBackOff(async () => {
        await saveAll()
        if (waiting.length === 0) return
        const message = 'What was found could not be stored, so nothing is erased yet: retry when the storage is back.'
        throw new PrivacyError('unavailable', message)
      })
      await (orFail ? saved : saved.catch(() => {}))
    },
    /** The component of a collection is to be run again. */
    async forget(address: string): Promise<void> {
      const component = plan.components.find(({ members }) => members.includes(address))
      if (component) await table.take(idOf(component))
    },
    /** From now on only `save` writes. Resolves when what is being written is. */
    async pause(): Promise<void> {
      clearTimeout(timer)
      await saving
    },
    /**
     * What an earlier attempt finished, and is as this plan would find it; keys are loaded for those who still need them.
     * `recent`: nothing that was found more than an hour ago, since rows may be somebody else's by now.
     */
    async restore({ recent = false }: { readonly recent?: boolean } = {}): Promise<Map<number, ComponentOutcome>> {
      const since = recent ? new Date(now().getTime() - foundForMs).toISOString() : ''
      const found = await table.find({ where: { requestId: { equals: requestId } } })
      const rows = new Map(found.map((row) => [row.id, row]))
      const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
      for (;;) {
        const kept = rows.size > 0 ? await valid(rows, since) : new Map<number, SavedComponent>()
        const restored = new Map<number, ComponentOutcome>()
        const runs = plan.components.flatMap(({ members }, index) => (kept.has(index) ? [] : members))
        const needed = new Set(runs)
        let damaged: number | undefined
        for (const [index, { collections, keys, sets }] of kept) {
          try {
            const load = async (blob: string, fields: readonly KeyPart[] = [{}]) =>
              blob === '' ? keySet(fields) : retryWithBackOff(() => readKeys(room, blob, fields), isDamage)
            const contributions: Contribution[] = []
            for (const { to, entry, own, indirect, ambiguous } of keys.filter((each) => needed.has(each.to))) {
              const fields = byAddress.get(to)?.entries[entry]?.fields ?? []
              const loaded = { own: await load(own, fields), indirect: await load(indirect, fields) }
              contributions.push({ to, entry, ...loaded, ...(ambiguous && { ambiguous }) })
            }
            const open: OpenKeys[] = []
            for (const each of sets.open)
              open.push({ open: each.open, keys: await load(each.keys, plan.open[each.open]?.fields) })
            const asked: AskedKeys[] = []
            for (const { keys, ...each } of sets.asked) {
              const fields = byAddress.get(each.address)?.entries[each.entry]?.fields
              asked.push({ ...each, keys: await Promise.all(keys.map((blob) => load(blob, fields))) })
            }
            const learned = new Map<string, KeySet>()
            for (const { property, keys } of sets.learned) learned.set(property, await load(keys))
            restored.set(index, { collections, contributions, open, asked, learned })
          } catch {
            damaged = index
            break
          }
        }
        if (damaged === undefined) return restored
        // What it found is found again, and so is all that rests on it.
        rows.delete(idOf(plan.components[damaged] as PlannedComponent))
      }
    },
    /** Forgets what is waiting, and removes all rows. */
    async clear(): Promise<void> {
      clearTimeout(timer)
      waiting = []
      await saving
      const rows = await table.find({ where: { requestId: { equals: requestId } } })
      if (rows.length === 0) return
      await write(async (within) => {
        for (const { id } of rows) await within.table('checkpoint').take(id)
      })
    },
  }
}

/** What does not open is no better when it is read again; blobs that are away for a moment are. */
const isDamage = (error: unknown) => isPrivacyError(error, 'internal')

const linesAtOnce = 4_096

function* keyBytes(keys: KeySet): Iterable<Uint8Array> {
  for (let from = 0; from < keys.size; from += linesAtOnce) {
    yield Buffer.from(`${keys.lines(from, Math.min(keys.size, from + linesAtOnce))}\n`)
  }
}

async function readKeys(room: SpoolRoom, blob: string, fields: readonly KeyPart[]): Promise<KeySet> {
  const keys = keySet(fields)
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of room.readBlob(blob)) {
    const lines = (text + decoder.decode(part, { stream: true })).split('\n')
    text = lines.pop() as string
    for (const line of lines) keys.add(JSON.parse(line) as Key)
  }
  return keys
}
