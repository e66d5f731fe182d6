import { createHash } from 'node:crypto'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { CheckpointRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { Plan, PlannedComponent } from '../../rules/plan/plan.js'
import type { Lease } from '../run/hold-lease.js'
import type { Contribution } from './entry-state.js'
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

/** Blobs of further keys: keys of open references, asked keys, and learned identities. */
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

/** How long found rows stay valid for an erasure that has written nothing yet. Later they may have another owner. */
export const foundForMs = 3_600_000
/** How long a finished component waits for others, so that all are written together. A crash loses at most this time. */
const gatherMs = 1_000

/**
 * A hash per component of everything its result depends on: its planned collections and the components before it. With
 * equal hashes, the checkpoint of an earlier attempt holds what a new run would find.
 */
function componentSignatures(plan: Plan, searched: string): readonly string[] {
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const signatures: string[] = []
  for (const component of plan.components) {
    // The checkpoint of a collection depends on its own plan, and on the fields its keys were cast for.
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

/** Stores finished components in the background, so that a retry reads only what is missing. */
export function checkpoints(options: {
  plan: Plan
  storage: Storage
  lease: Pick<Lease, 'step'>
  /** Tells whether checkpoints may be stored. None are where no run was before this one. */
  stored: { checkpoints?: boolean }
  room: SpoolRoom
  requestId: string
  blobKey: (name: string) => string
  /** Another text when other values are searched. */
  searched: string
  now: () => Date
}) {
  const { plan, storage, lease, stored, room, requestId, blobKey, searched, now } = options
  const table = storage.table('checkpoint')
  let waiting: { index: number; foundAt: string; outcome: ComponentOutcome }[] = []
  let signatures: readonly string[] | undefined
  /** Why the last one that waits could not be stored. */
  let cause: unknown
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> = Promise.resolve()
  const storedRows = async () => (stored.checkpoints ? table.find({ where: { requestId: { equals: requestId } } }) : [])
  const idOf = (component: PlannedComponent) => `${requestId}/${component.members[0]}`

  const signatureOf = (index: number) => {
    signatures ??= componentSignatures(plan, searched)
    return signatures[index] as string
  }
  /** Writes the blobs of a component. */
  const checkpointOf = async ({ index, foundAt, outcome }: (typeof waiting)[number]): Promise<CheckpointRow> => {
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
    return { id: idOf(component), version: 1, requestId, signature: signatureOf(index), state }
  }
  /** A component that cannot be stored now waits for the next save. The run does not fail because of it. */
  const saveAll = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    saving = saving.then(async () => {
      const due = waiting
      waiting = []
      const ready = new Map<(typeof due)[number], CheckpointRow>()
      const again = (failed: typeof due) => (error: unknown) => {
        cause = error
        waiting.push(...failed)
      }
      for (const each of due) {
        await checkpointOf(each).then((row) => void ready.set(each, row), again([each]))
      }
      if (ready.size === 0) return
      stored.checkpoints = true
      const rows = [...ready.values()]
      await lease.step([{ kind: 'checkpoint', put: rows }]).catch(again([...ready.keys()]))
    })
    return saving
  }

  /** Components whose checkpoint is valid for this plan, if those before them are valid too. */
  const valid = async (rows: ReadonlyMap<string, CheckpointRow>, since: string) => {
    const found = new Map<number, SavedComponent>()
    for (const [index, component] of plan.components.entries()) {
      const row = rows.get(idOf(component))
      if (row?.signature !== signatureOf(index) || !component.needs.every((each) => found.has(each))) continue
      const saved = row.state as SavedComponent
      if (saved.foundAt < since) continue
      const blobs = [
        ...saved.collections.flatMap(({ spools }) => spools.flatMap(({ spooled }) => spooled.key ?? [])),
        ...saved.keys.flatMap(({ own, indirect }) => [own, indirect]),
        ...saved.sets.open.map(({ keys }) => keys),
        ...saved.sets.asked.flatMap(({ keys }) => keys),
        ...saved.sets.learned.map(({ keys }) => keys),
      ]
      const exists = await Promise.all(blobs.map((blob) => blob === '' || room.has(blob)))
      if (exists.every(Boolean)) found.set(index, saved)
    }
    return found
  }

  return {
    done(index: number, outcome: ComponentOutcome) {
      waiting.push({ index, foundAt: now().toISOString(), outcome })
      timer ??= setTimeout(() => void saveAll(), gatherMs).unref()
    },
    /** Resolves when all finished components are stored, or when retries did not help. With `orFail` it rejects then. */
    async save({ orFail = false }: { readonly orFail?: boolean } = {}): Promise<void> {
      const saved = retryWithBackOff(async () => {
        await saveAll()
        if (waiting.length === 0) return
        const message =
          'The found rows could not be stored, so nothing was erased yet: retry when the storage is available again.'
        throw new PrivacyError('unavailable', message, {}, { cause })
      })
      await (orFail ? saved : saved.catch(() => {}))
    },
    /** Removes the checkpoint of a collection's component, so that it runs again. */
    async forget(address: string): Promise<void> {
      const component = plan.components.find(({ members }) => members.includes(address))
      if (component) await table.take(idOf(component))
    },
    /** Stops saving in the background, so that only `save` writes. Resolves when the current write has ended. */
    async pause(): Promise<void> {
      clearTimeout(timer)
      await saving
    },
    /**
     * Loads the components that an earlier attempt finished and that are valid for this plan. Keys are loaded only for
     * components that still run. `recent` leaves out rows that were found more than an hour ago, because they may have
     * another owner by now.
     */
    async restore({ recent = false }: { readonly recent?: boolean } = {}): Promise<Map<number, ComponentOutcome>> {
      const since = recent ? new Date(now().getTime() - foundForMs).toISOString() : ''
      const rows = new Map((await storedRows()).map((row) => [row.id, row]))
      const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
      for (;;) {
        const saved = rows.size > 0 ? await valid(rows, since) : new Map<number, SavedComponent>()
        const restored = new Map<number, ComponentOutcome>()
        const runs = plan.components.flatMap(({ members }, index) => (saved.has(index) ? [] : members))
        const needed = new Set(runs)
        let damaged: number | undefined
        for (const [index, { collections, keys, sets }] of saved) {
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
        // This component runs again, and so do all that depend on it.
        rows.delete(idOf(plan.components[damaged] as PlannedComponent))
      }
    },
    /** Drops components that wait to be stored, and removes all checkpoints of the request. */
    async clear(): Promise<void> {
      clearTimeout(timer)
      waiting = []
      await saving
      const rows = await storedRows()
      if (rows.length > 0) await lease.step([{ kind: 'checkpoint', take: rows.map(({ id }) => id) }])
    },
  }
}

/** Reading again does not help for bytes that cannot be decrypted. It helps for blobs that are away for a moment. */
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
