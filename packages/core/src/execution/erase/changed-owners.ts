import { PrivacyError } from '../../errors.js'
import type { Row } from '../../ports/connector.js'
import type { Entry, Link, PlannedCollection } from '../../rules/plan/plan.js'
import { isOutsideLists, namesOthers } from '../../rules/plan/shared-in-part.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { countRows, entryState, nextChunks } from '../find/entry-state.js'
import type { Key } from '../find/key-of.js'
import { conditionalKeyReader, conditionReader, elementsOf, keyReader } from '../find/key-reader.js'
import { type KeySet, keySet } from '../find/key-set.js'
import type { Whose } from '../find/row-judge.js'
import { askedKeys } from './asked-keys.js'
import type { CheckingContext, CollectionToErase, ErasureContext, FoundContext } from './erasure-context.js'
import type { HeldOwners } from './held-owners.js'
import { leftRows } from './left-rows.js'
import { type Rejudge, rejudge } from './rejudge.js'

/** Rows that now belong to another person. */
export interface MovedRows {
  /** `mayBeWritten`: some of the rows may have been written before this was seen. */
  failure(mayBeWritten: boolean): PrivacyError
  /** Collections whose rows have to be found again as well. */
  readonly alsoStale: readonly string[]
}

/** A collection whose rows lead to rows of another collection and decide their owner. */
interface Source {
  readonly from: PlannedCollection
  readonly link: Link
}

/**
 * Reads again the rows that own the found rows or refer to them, and the owners of those in turn. All of them must still be
 * the subject's. `keys` are the keys that found the rows, by entry. `held` collects the rows that were read, which are
 * locked during the write. `path` holds the collections below, which are written first.
 */
export async function movedOwners(
  context: ErasureContext,
  collection: PlannedCollection,
  keys: readonly KeySet[],
  held: HeldOwners,
  path: readonly PlannedCollection[] = [],
): Promise<MovedRows | undefined> {
  const upTo = [...path, collection]
  const mayBeShared = upTo[0]?.erasure?.onShared === 'erase'
  for (const [at, entry] of collection.entries.entries()) {
    const found = keys[at]
    const sources = found && found.size > 0 ? sourcesOf(context, collection, at) : []
    // Rows on a circle are written together.
    if (!found || sources.length === 0 || sources.some(({ from }) => upTo.includes(from))) continue
    const opened = await Promise.all(sources.map(({ from }) => context.connection(from.connectionKey, from.address)))
    // People are not asked twice for rows that they looked up.
    if (opened.some(({ connector }) => connector.type === 'manual')) continue
    const theirs = keySet(entry.fields)
    const strangers = keySet(entry.fields)
    let moved = 0
    const above: (readonly KeySet[])[] = []
    for (const [each, source] of sources.entries()) {
      const open = opened[each] as OpenConnection
      const into = { into: collection, at, entry, keys: found, mayBeShared }
      const seen = await rereadSource(context, { ...source, ...into, open, hold: held.of(source.from, source.link) })
      for (let key = 0; key < seen.held.size; key++) theirs.add(seen.held.at(key))
      for (const key of seen.theirs) strangers.add(key)
      moved += seen.others
      above.push(seen.above)
    }
    const missing = keySet(entry.fields)
    // A row that the subject's rows referred to stays the subject's as long as no other person's row refers to it.
    const isPart = sources.every(({ link }) => link.kind === 'part')
    const isStill = (key: Key) => theirs.find(key) !== -1 || (isPart && strangers.find(key) === -1)
    for (let key = 0; key < found.size; key++) if (!isStill(found.at(key))) missing.add(found.at(key))
    // A row that was deleted together with its owner has not moved to another person.
    if (missing.size > 0 && (path.length > 0 || (await anyExists(context, collection, entry, missing))))
      moved += missing.size
    if (moved > 0) {
      const alsoStale = sources.map(({ from }) => from.address)
      const wereRows = `${countedRows(moved)} of ${quoted(alsoStale)} ${moved === 1 ? 'is' : 'are'} no longer the person's`
      return { failure: movedFailure(collection, wereRows), alsoStale }
    }
    for (const [each, { from }] of sources.entries()) {
      const further = await movedOwners(context, from, above[each] as readonly KeySet[], held, upTo)
      if (further) return { ...further, alsoStale: [...further.alsoStale, from.address] }
    }
  }
  return undefined
}

async function anyExists(
  context: CheckingContext,
  { address, collection, connectionKey }: PlannedCollection,
  entry: Entry,
  keys: KeySet,
) {
  const open = await context.connection(connectionKey, address)
  return (await countRows(open, { collection, entry, keys: [keys] }, context.lease.signal)) > 0
}

function sourcesOf({ byAddress }: FoundContext, { address }: PlannedCollection, entry: number): Source[] {
  return [...byAddress.values()].flatMap((from) =>
    from.links.flatMap((link) =>
      link.to === address && link.entry === entry && link.kind !== 'compared' ? [{ from, link }] : [],
    ),
  )
}

interface SourceRead extends Source {
  readonly open: OpenConnection
  readonly into: PlannedCollection
  readonly at: number
  readonly entry: Entry
  readonly keys: KeySet
  readonly mayBeShared: boolean
  /** Takes each row that leads to the keys. */
  readonly hold: (row: Row) => void
}

/** Reads which keys the subject's rows hold and which other people's rows hold, and the keys that found the former. */
async function rereadSource(context: ErasureContext, source: SourceRead) {
  const { from, link, open, into, at, entry, keys, mayBeShared, hold } = source
  const { lease, asked } = context
  const [own] = asked(into.address).find((each) => each.entry === at)?.keys ?? []
  const judge = partsOf(rejudge(context, from), source)
  const read = conditionalKeyReader(from, link.fields, link.when, entry.fields)
  const meets = conditionReader(from, link.when)
  const above = aboveReader(context, from)
  const held = keySet(entry.fields)
  const others: { readonly row: Row; readonly keys: readonly Key[] }[] = []
  // Another person whose row leads to the same row shares it, unless a row names its person or shared rows are erased.
  const isShared = link.kind === 'part' ? !mayBeShared : link.kind === 'owned' && link.ambiguous === true
  const among = askedKeys(link.fields, entry.fields, keys)
  const state = entryState({ fields: among.fields, when: link.when, indexed: true })
  state.own = { keys: among.keys, asked: [] }
  for (const { groups } of nextChunks([state], 0, open.connector.capabilities)) {
    using _permit = await open.permit(lease.signal)
    const what = { collection: from.collection, columns: from.columns, anyOf: groups }
    for await (const rows of open.connection.read(what, { signal: lease.signal })) {
      for (const row of rows) {
        const { whose, document, subjects, alone } = judge(row)
        if (!meets(row, document)) continue
        const mayLead = whose === 'own' || whose === 'indirect' || whose === 'shared'
        const leading = mayLead && subjects ? new Set<Key>() : undefined
        if (leading) read(row, subjects, (key) => leading.add(key))
        const leadingAlone = new Set<Key>()
        if (alone) read(row, alone.document, (key) => leadingAlone.add(key))
        const left: Key[] = []
        let leads = false
        read(row, document, (key) => {
          if (keys.find(key) === -1) return
          leads = true
          // A key that was only the subject's must not come from a row that is shared by now.
          const isTheirs = leadingAlone.has(key) || link.kind === 'part' || !own || own.find(key) === -1
          if (mayLead && leading?.has(key) !== false && isTheirs) held.add(key)
          else left.push(key)
        })
        if (left.length > 0) others.push({ row, keys: left })
        else if (mayLead) {
          above.add(row, whose)
          if (leads) hold(row)
        }
      }
    }
  }
  const theirs = await strangers()
  return { held, above: above.keys, theirs, others: isShared ? theirs.size : 0 }

  /** Keys that other people's rows hold. Rows that the request has written no longer tell their owner. */
  async function strangers(): Promise<ReadonlySet<Key>> {
    const isMissing = (key: Key) => held.find(key) === -1
    const missing = Array.from({ length: keys.size }, (_, key) => keys.at(key)).filter(isMissing)
    const known =
      missing.length + others.length > 0 && isErased(from)
        ? await leftRows(context, from, link, entry.fields)
        : undefined
    const theirs = new Set<Key>()
    const pointers = context.pointers.of(from, link.fields, into, from.columns)
    const erased = await pointers.among(others.map(({ row }) => row))
    for (const { row, keys } of others) {
      if (erased.has(row)) {
        hold(row)
        continue
      }
      const isLeft = known?.isLeft(row)
      for (const key of keys) (isLeft ? held : theirs).add(key)
    }
    for (const key of missing) if (known?.hadKey(key) && !theirs.has(key)) held.add(key)
    return theirs
  }
}

function isErased(collection: PlannedCollection): collection is CollectionToErase {
  return collection.erasure !== undefined
}

/** Gathers, by entry, the keys that make rows the subject's. */
function aboveReader(context: FoundContext, collection: PlannedCollection) {
  const known = context.asked(collection.address)
  const entries = collection.entries.map((entry, at) => ({
    keys: keySet(entry.fields),
    read: keyReader(collection, entry.fields),
    meets: conditionReader(collection, entry.when),
    asked: sourcesOf(context, collection, at).length > 0 ? known.find((each) => each.entry === at)?.keys : undefined,
  }))
  return {
    keys: entries.map(({ keys }) => keys),
    add(row: Row, whose: Whose): void {
      for (const { keys, read, meets, asked = [] } of entries) {
        // An own row needs own keys only. A row that is shared anyway needs none.
        const [own, indirect] = asked
        const needed = whose === 'own' ? [own] : whose === 'indirect' ? [own, indirect] : []
        if (!meets(row)) continue
        read(row, undefined, (key) => {
          if (needed.some((some) => some && some.find(key) !== -1)) keys.add(key)
        })
      }
    },
  }
}

/** Tells whose a row is, what of it is the subject's, and whether a reference in it leads on from the subject alone. */
function partsOf({ judge, judgeElements }: Rejudge, { from, link }: Source) {
  const isBeside = isOutsideLists(from, link.fields)
  return (row: Row) => {
    const document = elementsOf(from, row)
    const { whose, isInside } = judge(row, document)
    const filtered = document && judgeElements({ row, document, isInside })
    const alone = filtered?.alone ?? filtered
    // Where lists name others as well, what stands beside them is shared.
    const isShared = isBeside && namesOthers(from, row, alone?.leftOut)
    const isOwn = whose === 'own' && !isShared
    return { whose, document, subjects: filtered?.document, ...(isOwn && { alone: { document: alone?.document } }) }
  }
}

function movedFailure({ address }: PlannedCollection, why: string): MovedRows['failure'] {
  return (mayBeWritten) => {
    const message = `${why}, so rows of '${address}' may belong to somebody else now${thenLeft(mayBeWritten)}`
    return new PrivacyError('connection_failed', message, { reason: 'moved' })
  }
}

/** What became of rows that may be somebody else's, and the way out. */
export function thenLeft(mayBeWritten: boolean): string {
  return mayBeWritten
    ? ', and some may have been changed before that was seen: look at them, and retry to find their owners again.'
    : ' and were not changed: retry to find their owners again.'
}

/** The failure when owners change again and again before their rows can be written. */
export function changedOwners(collection: PlannedCollection, owners: readonly string[]): MovedRows {
  return { failure: movedFailure(collection, `Rows of ${quoted(owners)} keep changing`), alsoStale: owners }
}

function quoted(owners: readonly string[]): string {
  return [...new Set(owners)].map((owner) => `'${owner}'`).join(' or ')
}
