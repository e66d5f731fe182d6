import { createHash } from 'node:crypto'
import type { Storage } from '../ports/storage.js'
import type { Plan, PlannedCollection, PlannedComponent } from '../rules/plan.js'
import type { CollectionOutcome, ComponentOutcome, Contribution } from './component-run.js'
import { type Key, type KeySet, keySet } from './key-set.js'
import type { SpoolRoom } from './spool.js'

interface SavedKeys {
  readonly to: string
  readonly slot: number
  readonly own: string
  readonly lookedUp: string
}

interface SavedComponent {
  readonly collections: readonly CollectionOutcome[]
  readonly confirmed: readonly number[]
  readonly keys: readonly SavedKeys[]
}

/** How long a finished component may wait for others before all are written together; a kill costs at most that. */
const gatherMs = 1_000

/**
 * A hash per component of all its result rests on: its collections as planned, and those it comes after. Equal hashes
 * mean that the checkpoint of an earlier attempt still says what a new run would find.
 */
function componentSignatures(plan: Plan): readonly string[] {
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const signatures: string[] = []
  for (const component of plan.components) {
    const members = component.members.map((member) => byAddress.get(member))
    const before = component.needs.map((index) => signatures[index])
    signatures.push(
      createHash('sha256')
        .update(JSON.stringify([members, before, plan.identities]))
        .digest('base64url'),
    )
  }
  return signatures
}

/** Makes finished components durable behind the run, so that a retry reads only what is missing (§7.19). */
export function checkpoints(options: {
  plan: Plan
  storage: Storage
  room: SpoolRoom
  requestId: string
  blobKey: (name: string) => string
}) {
  const { plan, storage, room, requestId, blobKey } = options
  const table = storage.table('checkpoint')
  let waiting: { index: number; outcome: ComponentOutcome }[] = []
  let signatures: readonly string[] | undefined
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> = Promise.resolve()
  const idOf = (component: PlannedComponent) => `${requestId}/${component.members[0]}`

  const signatureOf = (index: number) => {
    signatures ??= componentSignatures(plan)
    return signatures[index] as string
  }
  const save = async ({ index, outcome }: (typeof waiting)[number]) => {
    const component = plan.components[index] as PlannedComponent
    for (const collection of outcome.collections) {
      for (const each of collection.spools) {
        each.spooled = await room.persist(blobKey(`${collection.address}/${each.rule}`), each.spooled)
      }
    }
    const keys: SavedKeys[] = []
    for (const { to, slot, own, lookedUp } of outcome.contributions) {
      const name = (kind: string) => blobKey(`${component.members[0]}/keys/${to}/${slot}/${kind}`)
      keys.push({ to, slot, own: name('own'), lookedUp: name('looked-up') })
      await room.write(name('own'), keyBytes(own))
      await room.write(name('looked-up'), keyBytes(lookedUp))
    }
    const state: SavedComponent = { collections: outcome.collections, confirmed: outcome.confirmed, keys }
    await table.take(idOf(component))
    await table.insert({ id: idOf(component), version: 1, requestId, signature: signatureOf(index), state })
  }
  const saveAll = () => {
    clearTimeout(timer)
    timer = undefined
    saving = saving.then(async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await save(next)
    })
    return saving
  }

  return {
    done(index: number, outcome: ComponentOutcome) {
      waiting.push({ index, outcome })
      timer ??= setTimeout(() => void saveAll().catch(() => {}), gatherMs).unref()
    },
    /** Resolves when everything finished is durable. */
    save: saveAll,
    /** What an earlier attempt finished, and is as this plan would find it; keys are loaded for those who still need them. */
    async restore(): Promise<Map<number, ComponentOutcome>> {
      const rows = new Map(
        (await table.find({ where: { requestId: { equals: requestId } } })).map((row) => [row.id, row]),
      )
      const kept = new Map<number, SavedComponent>()
      for (const [index, component] of plan.components.entries()) {
        const row = rows.get(idOf(component))
        if (row && row.signature === signatureOf(index)) kept.set(index, row.state as SavedComponent)
      }
      const runs = new Map<string, PlannedCollection>()
      const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
      for (const [index, component] of plan.components.entries()) {
        if (!kept.has(index))
          for (const member of component.members) runs.set(member, byAddress.get(member) as PlannedCollection)
      }
      const restored = new Map<number, ComponentOutcome>()
      for (const [index, { collections, confirmed, keys }] of kept) {
        const contributions: Contribution[] = []
        for (const { to, slot, own, lookedUp } of keys) {
          const kinds = runs.get(to)?.slots[slot]?.fields.map((field) => field.kind)
          if (!kinds) continue
          contributions.push({
            to,
            slot,
            own: await readKeys(room, own, kinds),
            lookedUp: await readKeys(room, lookedUp, kinds),
          })
        }
        restored.set(index, { collections, confirmed, contributions })
      }
      return restored
    },
    /** Forgets what is waiting, and removes all rows. */
    async clear(): Promise<void> {
      clearTimeout(timer)
      waiting = []
      await saving.catch(() => {})
      for (const { id } of await table.find({ where: { requestId: { equals: requestId } } })) await table.take(id)
    },
  }
}

function* keyBytes(keys: KeySet): Iterable<Uint8Array> {
  let text = ''
  for (let at = 0; at < keys.size; at++) {
    text += `${JSON.stringify(keys.at(at))}\n`
    if (text.length < 65_536) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

async function readKeys(room: SpoolRoom, blob: string, kinds: Parameters<typeof keySet>[0]): Promise<KeySet> {
  const keys = keySet(kinds)
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of room.readBlob(blob)) {
    const lines = (text + decoder.decode(part, { stream: true })).split('\n')
    text = lines.pop() as string
    for (const line of lines) keys.add(JSON.parse(line) as Key)
  }
  return keys
}
