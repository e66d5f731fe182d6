import { PrivacyError } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import type { IdentitySeed, Link, Plan, PlannedCollection, PlannedComponent } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { type CollectionRun, collectionRun } from './collection-run.js'
import { type Chunk, type Contribution, countRows, type EntryState, hasNewKeys } from './entry-state.js'
import { identityKeysOf, type KnownIdentities } from './identity-matcher.js'
import { keyOf } from './key-of.js'
import { type KeySet, keySet } from './key-set.js'
import type { RowCounts } from './row-counts.js'
import type { Spooled, SpoolRoom } from './spool.js'

/** Keys of own rows by which rows of an open reference are counted. */
export interface OpenKeys {
  /** Position in the plan's `open`. */
  readonly open: number
  readonly keys: KeySet
}

/** All keys by which a collection was asked for. Counts of its other rows leave rows with these keys out. */
export interface AskedKeys {
  readonly address: string
  readonly entry: number
  readonly keys: readonly KeySet[]
  readonly ambiguous?: boolean
}

export interface CollectionOutcome {
  readonly address: string
  readonly counts: RowCounts
  /** A new id each time the rows were read. Absent where no rows are stored for an erasure. */
  readonly foundId?: string
  /** `spooled` is replaced when it was written as a blob. */
  readonly spools: readonly { readonly rule: string; spooled: Spooled }[]
}

export interface ComponentOutcome {
  readonly collections: readonly CollectionOutcome[]
  readonly contributions: readonly Contribution[]
  readonly open: readonly OpenKeys[]
  readonly asked: readonly AskedKeys[]
  /** Identities of the person that the request lacks, by property. */
  readonly learned: ReadonlyMap<string, KeySet>
}

export interface ComponentContext {
  readonly plan: Plan
  readonly byAddress: ReadonlyMap<string, PlannedCollection>
  readonly identities: readonly Identity[]
  /** Whether a property of an object was confirmed, so that it finds rows by itself. */
  readonly confirmed: (object: number, property: string) => boolean
  readonly findsAlone: KnownIdentities['findsAlone']
  readonly room: SpoolRoom
  readonly signal: AbortSignal
  readonly maxRounds: number
  readonly spoolKey: (address: string, name: string) => string
  readonly newId: () => string
  readonly connection: (key: string, address: string) => Promise<OpenConnection>
  /** What earlier components found for a collection. */
  readonly incoming: (address: string) => readonly Contribution[]
  /** The identities of the subject that earlier components found. */
  readonly learned: ReadonlyMap<string, KeySet>
  readonly progress: (address: string, rows: number) => void
  /** Told how many rows came, whosever they are. Resolves when more may come. */
  readonly read: (rows: number) => Promise<void>
  /** Takes a message about a collection, for the request's log. */
  readonly note: (address: string, message: string) => void
}

/** Runs the collections of one component until nothing new is found. */
export async function runComponent(component: PlannedComponent, context: ComponentContext): Promise<ComponentOutcome> {
  const { plan, byAddress, room } = context
  const inside = new Map<string, CollectionRun>()
  const outgoing = new Map<Link, Contribution>()
  const open = new Map<number, KeySet>()
  const learned = new Map<string, KeySet>()
  const opened = new Map<string, OpenConnection>()
  const fieldsOf = (link: Link): readonly PlannedField[] =>
    (byAddress.get(link.to) as PlannedCollection).entries[link.entry]?.fields ?? []
  const openFields = (at: number): readonly PlannedField[] => plan.open[at]?.fields ?? []
  const known: KnownIdentities = {
    identities: context.identities,
    findsAlone: context.findsAlone,
    learned: { get: (property) => context.learned.get(property) ?? learned.get(property) },
    learnable: learnableInside(component, context),
  }
  try {
    for (const address of component.members) {
      const collection = byAddress.get(address) as PlannedCollection
      const connection = await context.connection(collection.connectionKey, address)
      opened.set(address, connection)
      const run: CollectionRun = collectionRun({
        collection,
        cyclic: component.cyclic,
        room,
        known,
        openFields,
        spoolKey: (name) => context.spoolKey(address, name),
        capabilities: connection.connector.capabilities,
        leavesRows: plan.erasure !== undefined && !collection.erasure,
        target: fieldsOf,
        follow: (link, key, own) => {
          const member = inside.get(link.to)
          if (member) return member.addKey(link.entry, key, own)
          const found = setOf(outgoing, link, () => newContribution(link, fieldsOf(link)))
          if (own) found.own.add(key)
          else if (found.own.find(key) === -1) found.indirect.add(key)
        },
        count: (at, key) => void setOf(open, at, () => keySet(openFields(at))).add(key),
        learn: (property, key) => void setOf(learned, property, () => keySet([{}])).add(key),
      })
      inside.set(address, run)
    }
    for (const run of inside.values()) {
      run.receive(context.incoming(run.collection.address))
      for (const seed of run.collection.identities) {
        if (!seed.needsConfirmation || context.confirmed(seed.object, seed.property)) enter(run, seed, context)
      }
    }
    await rounds(inside, component, context, opened)
    const collections: CollectionOutcome[] = []
    const contributions: Contribution[] = []
    for (const [address, run] of inside) {
      // `finish` judges the rows of a cycle, so it has to run before the counts are read.
      const spools = await run.finish()
      const { links, kept } = run.collection
      collections.push({ address, counts: run.counts(), spools, ...(kept && { foundId: context.newId() }) })
      for (const link of links) {
        const found = outgoing.get(link)
        if (!found) continue
        const ambiguous =
          link.ambiguous &&
          (run.isHeldBeside(link) || (await isHeldByOthers(run, link, found, opened.get(address), context)))
        contributions.push(ambiguous ? { ...found, ambiguous } : found)
      }
    }
    const loose = plan.collections.filter(({ entries }) => entries.some(({ comparesLoosely }) => comparesLoosely))
    const counted = new Set([...[...plan.open, ...loose].map(({ address }) => address), ...rejudgedAddresses(plan)])
    const asked = [...inside].flatMap(([address, { entries }]) =>
      counted.has(address)
        ? entries.map(({ own, indirect, ambiguous }, entry) => ({
            address,
            entry,
            keys: [own.keys, indirect.keys],
            ...(ambiguous && { ambiguous }),
          }))
        : [],
    )
    return { collections, contributions, open: [...open].map(([at, keys]) => ({ open: at, keys })), asked, learned }
  } catch (error) {
    for (const run of inside.values()) run.discard()
    throw error
  }
}

function setOf<Name, Value>(map: Map<Name, Value>, name: Name, make: () => Value): Value {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}

function newContribution({ to, entry }: Link, fields: readonly PlannedField[]): Contribution {
  return { to, entry, own: keySet(fields), indirect: keySet(fields) }
}

/** Collections that an erasure judges again: those it erases, and those that decide the owner of rows elsewhere. */
function rejudgedAddresses({ collections, erasure: units }: Plan): string[] {
  if (!units) return []
  return collections.flatMap(({ address, erasure, links }) =>
    erasure || links.some(({ kind }) => kind !== 'compared') ? [address] : [],
  )
}

/** Properties for which rows of a cycle may still add values while other rows of the cycle are judged by them. */
function learnableInside(
  { members, cyclic }: PlannedComponent,
  { byAddress, identities }: ComponentContext,
): ReadonlySet<string> {
  if (!cyclic) return new Set()
  const telling = members.flatMap((member) => {
    const { identities: seeds, judging } = byAddress.get(member) as PlannedCollection
    return seeds.length > 0 ? judging.identities.map(({ property }) => property) : []
  })
  return new Set(telling.filter((property) => !identities.some((identity) => Object.hasOwn(identity, property))))
}

/** Whether other people's rows hold the same keys as the subject's. A reference by such a key does not tell the owner. */
async function isHeldByOthers(
  run: CollectionRun,
  link: Link,
  { own, indirect }: Contribution,
  open: OpenConnection | undefined,
  { signal }: ComponentContext,
): Promise<boolean> {
  const entry = { fields: link.fields, when: link.when, indexed: true }
  const { collection } = run.collection
  const keys = [own, indirect].map((each) => keysIn(link.fields, each))
  const all = await countRows(open as OpenConnection, { collection, entry, keys }, signal)
  return all > run.rowsOf(link)
}

/** Keys have the types of the fields that a link leads to. The fields that it comes from may have others. */
function keysIn(fields: readonly PlannedField[], keys: KeySet): KeySet {
  const cast = keySet(fields)
  const placeholders = fields.map(() => [])
  for (let at = 0; at < keys.size; at++) {
    const values = fields.map((_, part) => keys.column(part, at, at + 1)[0])
    const key = keyOf(values, fields, placeholders)
    if (key !== undefined) cast.add(key)
  }
  return cast
}

async function rounds(
  inside: ReadonlyMap<string, CollectionRun>,
  component: PlannedComponent,
  context: ComponentContext,
  opened: ReadonlyMap<string, OpenConnection>,
): Promise<void> {
  for (let round = 0; ; round++) {
    let asked = false
    for (const [address, run] of inside) {
      if (component.cyclic) await markAmbiguous(run, inside, opened, context)
      const chunks = run.next()
      if (chunks.length === 0) continue
      if (round >= context.maxRounds) {
        const message = `The references between ${component.members.join(', ')} led to new rows ${context.maxRounds} times: raise 'execution.maxRounds', or remove a reference that leads from person to person.`
        throw new PrivacyError('unsupported', message, { feature: 'execution.maxRounds' })
      }
      asked = true
      for (const chunk of chunks) await readChunk(run, chunk, opened.get(address) as OpenConnection, context)
    }
    if (!component.cyclic) return
    if (asked) continue
    const before = keysOf(inside)
    for (const run of inside.values()) await run.followAgain()
    if (keysOf(inside) === before) return
  }
}

/** Marks entries whose new keys rows of other people hold as well, before a row is found by them. */
async function markAmbiguous(
  into: CollectionRun,
  inside: ReadonlyMap<string, CollectionRun>,
  opened: ReadonlyMap<string, OpenConnection>,
  context: ComponentContext,
): Promise<void> {
  for (const [address, from] of inside) {
    for (const link of from.collection.links) {
      if (!link.ambiguous || link.to !== into.collection.address) continue
      const state = into.entries[link.entry] as EntryState
      if (state.ambiguous || !hasNewKeys(state)) continue
      // Several statements may have returned a row, which is to count once.
      await from.followAgain()
      const found = { to: link.to, entry: link.entry, own: state.own.keys, indirect: state.indirect.keys }
      if (from.isHeldBeside(link) || (await isHeldByOthers(from, link, found, opened.get(address), context)))
        state.ambiguous = true
    }
  }
}

function keysOf(inside: ReadonlyMap<string, CollectionRun>): number {
  const all = [...inside.values()].flatMap(({ entries }) => entries)
  return all.reduce((size, { own, indirect }) => size + own.keys.size + indirect.keys.size, 0)
}

/** Rows that are judged before others in the process have a turn. They take a few milliseconds. */
const mostAtOnce = 1_000

async function readChunk(
  run: CollectionRun,
  { number, groups }: Chunk,
  open: OpenConnection,
  { signal, progress, read }: ComponentContext,
): Promise<void> {
  const { address, collection, columns } = run.collection
  using _permit = await open.permit(signal)
  for await (const batch of open.connection.read({ collection, columns, anyOf: groups }, { signal })) {
    for (let from = 0; from < batch.length; from += mostAtOnce) {
      const rows = batch.slice(from, from + mostAtOnce)
      await read(rows.length)
      signal.throwIfAborted()
      await run.takeBatch(rows, number)
    }
    progress(address, run.found)
  }
}

function enter(run: CollectionRun, seed: IdentitySeed, context: ComponentContext): void {
  const keys = identityKeysOf(run.collection, seed, context.identities)
  for (const key of keys) run.addKey(seed.entry, key, true)
  if (keys.length === 0) {
    const field = run.collection.entries[seed.entry]?.fields[0]?.name
    const message = `identity ${seed.object + 1} was not searched by ${seed.property}: '${field}' cannot hold the value, or treats it as empty`
    context.note(run.collection.address, message)
  }
}
