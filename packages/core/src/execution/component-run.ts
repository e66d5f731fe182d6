import { PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import type { IdentityFeed, Link, Plan, PlannedCollection, PlannedComponent, PlannedField } from '../rules/plan.js'
import { type CollectionRun, collectionRun, type RowCounts } from './collection-run.js'
import { type Key, type KeySet, keySet } from './key-set.js'
import { identityKeyOf } from './near-matches.js'
import type { OpenConnection } from './open-connections.js'
import type { Chunk } from './slot-state.js'
import type { Spooled, SpoolRoom } from './spool.js'

/** Keys that one collection found for a slot of another. */
export interface Contribution {
  readonly to: string
  readonly slot: number
  readonly own: KeySet
  readonly lookedUp: KeySet
}

export interface CollectionOutcome {
  readonly address: string
  readonly counts: RowCounts
  /** Another one whenever its rows were read anew; absent where none are kept for an erasure. */
  readonly keptId?: string
  /** `spooled` is replaced when it becomes durable. */
  readonly spools: readonly { readonly rule: string; spooled: Spooled }[]
}

export interface ComponentOutcome {
  readonly collections: readonly CollectionOutcome[]
  readonly contributions: readonly Contribution[]
  /** Identity objects that rows here confirmed. */
  readonly confirmed: readonly number[]
}

export interface ComponentContext {
  readonly plan: Plan
  readonly byAddress: ReadonlyMap<string, PlannedCollection>
  readonly identities: readonly Identity[]
  readonly room: SpoolRoom
  readonly signal: AbortSignal
  readonly maxRounds: number
  readonly spoolKey: (address: string, name: string) => string
  readonly newId: () => string
  readonly connection: (key: string, address: string) => Promise<OpenConnection>
  /** Objects confirmed by collections that ran before. */
  readonly confirmed: ReadonlySet<number>
  /** What earlier components found for a collection. */
  readonly incoming: (address: string) => readonly Contribution[]
  readonly progress: (address: string, rows: number) => void
  /** Takes what a person should know about a collection, for the log. */
  readonly note: (address: string, message: string) => void
}

/** Runs the collections of one component until nothing new is found. */
export async function runComponent(component: PlannedComponent, context: ComponentContext): Promise<ComponentOutcome> {
  const inside = new Map<string, CollectionRun>()
  const outgoing = new Map<string, Contribution>()
  const confirmed = new Set(context.confirmed)
  const opened = new Map<string, OpenConnection>()
  const fieldsOf = (link: Link): readonly PlannedField[] =>
    (context.byAddress.get(link.to) as PlannedCollection).slots[link.slot]?.fields ?? []
  const contribution = (link: Link): Contribution => {
    const name = `${link.slot} ${link.to}`
    const known = outgoing.get(name)
    if (known) return known
    const fields = fieldsOf(link)
    const made = { to: link.to, slot: link.slot, own: keySet(fields), lookedUp: keySet(fields) }
    outgoing.set(name, made)
    return made
  }
  try {
    for (const address of component.members) {
      const collection = context.byAddress.get(address) as PlannedCollection
      const open = await context.connection(collection.connectionKey, address)
      opened.set(address, open)
      const confirms = confirmingKeys(collection, context.identities)
      const run: CollectionRun = collectionRun({
        collection,
        cyclic: component.cyclic,
        room: context.room,
        spoolKey: (name) => context.spoolKey(address, name),
        capabilities: open.connector.capabilities,
        target: fieldsOf,
        confirmed: (slot, position) => {
          for (const { key, object } of confirms.get(slot) ?? []) {
            if (run.position(slot, key) === position) confirmed.add(object)
          }
        },
        follow: (link, key, own) => {
          const member = inside.get(link.to)
          if (member) return member.addKey(link.slot, key, own)
          const found = contribution(link)
          if (own) found.own.add(key)
          else if (found.own.find(key) === -1) found.lookedUp.add(key)
        },
      })
      inside.set(address, run)
    }
    for (const run of inside.values()) {
      run.receive(context.incoming(run.collection.address))
      for (const feed of run.collection.identities) {
        if (!feed.needsConfirmation || confirmed.has(feed.object)) enter(run, feed, context)
      }
    }
    await rounds(inside, component, context, confirmed, opened)
    const collections: CollectionOutcome[] = []
    for (const [address, run] of inside) {
      // Elements left out are counted when the spool is written, so that comes first.
      const spools = await run.finish()
      collections.push({
        address,
        counts: { ...run.counts },
        spools,
        ...(run.collection.kept && { keptId: context.newId() }),
      })
    }
    return { collections, contributions: [...outgoing.values()], confirmed: [...confirmed] }
  } catch (error) {
    for (const run of inside.values()) run.discard()
    throw error
  }
}

async function rounds(
  inside: ReadonlyMap<string, CollectionRun>,
  component: PlannedComponent,
  context: ComponentContext,
  confirmed: ReadonlySet<number>,
  opened: ReadonlyMap<string, OpenConnection>,
): Promise<void> {
  for (let round = 0; ; round++) {
    let asked = false
    const before = new Set(confirmed)
    for (const [address, run] of inside) {
      const chunks = run.next()
      if (chunks.length === 0) continue
      if (round >= context.maxRounds) {
        const message = `The references between ${component.members.join(', ')} led to new rows ${context.maxRounds} times: raise 'execution.maxRounds', or remove a reference that leads from person to person.`
        throw new PrivacyError('unsupported', message, { feature: 'execution.maxRounds' })
      }
      asked = true
      for (const chunk of chunks) await readChunk(run, chunk, opened.get(address) as OpenConnection, context)
    }
    for (const run of inside.values()) {
      for (const feed of run.collection.identities) {
        if (!feed.needsConfirmation || before.has(feed.object) || !confirmed.has(feed.object)) continue
        enter(run, feed, context)
        asked = true
      }
    }
    if (!asked || !component.cyclic) return
  }
}

async function readChunk(
  run: CollectionRun,
  { number, groups }: Chunk,
  open: OpenConnection,
  { signal, progress }: ComponentContext,
): Promise<void> {
  const { address, collection, columns } = run.collection
  using _place = await open.place(signal)
  for await (const batch of open.connection.read({ collection, columns, anyOf: groups }, { signal })) {
    signal.throwIfAborted()
    await run.takeBatch(batch, number)
    progress(address, run.counts.own + run.counts.lookedUp)
  }
}

function enter(run: CollectionRun, feed: IdentityFeed, context: ComponentContext): void {
  const key = identityKeyOf(run.collection, feed, context.identities)
  if (key !== undefined) run.addKey(feed.slot, key, true)
  else {
    const fields = run.collection.slots[feed.slot]?.fields.map((field) => field.name).join(' and ')
    const message = `identity ${feed.object + 1} was not looked for by ${feed.properties.join(' and ')}: ${fields} cannot hold such a value`
    context.note(run.collection.address, message)
  }
}

/** Per slot, the identity keys of several properties and the objects they stand for. */
function confirmingKeys(collection: PlannedCollection, identities: readonly Identity[]) {
  const bySlot = new Map<number, { readonly key: Key; readonly object: number }[]>()
  for (const feed of collection.identities) {
    const key = feed.confirms ? identityKeyOf(collection, feed, identities) : undefined
    if (key === undefined) continue
    bySlot.set(feed.slot, [...(bySlot.get(feed.slot) ?? []), { key, object: feed.object }])
  }
  return bySlot
}
