import type { ConnectorCapabilities, Row } from '../ports/connector.js'
import { type Document, type ElementEntry, filterElements } from '../rules/element-match.js'
import type { Link, PlannedCollection, PlannedField } from '../rules/plan.js'
import { barrenKeys, fruitfulKeys } from './barren-keys.js'
import { type KeptRow, keptRows, keptRowText } from './kept-rows.js'
import type { Key, KeySet } from './key-set.js'
import { keyOf } from './key-values.js'
import { rawRowText, readRawRows } from './raw-rows.js'
import { rowJudge } from './row-judge.js'
import { conditionReader, documentOf, keyReader } from './row-reader.js'
import { rowWriter } from './row-writer.js'
import { addKey, type Chunk, copyKeys, nextChunks, type SlotState, shareKeys, slotState } from './slot-state.js'
import type { Spool, Spooled, SpoolRoom } from './spool.js'

/** Rows of one collection, as a run counted them. They add up: every row is own, looked up, or somebody else's. */
export interface RowCounts {
  readonly own: number
  readonly lookedUp: number
  /** Found by a look-up, but somebody else's: neither delivered nor followed. */
  readonly others: number
  /** Array elements that were left out of own rows. */
  readonly elementsLeft: number
  /** Values that are no key, since the field they refer to cannot hold them. */
  readonly dropped: number
}

export interface CollectionRunOptions {
  readonly collection: PlannedCollection
  readonly cyclic: boolean
  readonly room: SpoolRoom
  /** Blob name for each spool of this collection. */
  readonly spoolKey: (name: string) => string
  readonly capabilities: ConnectorCapabilities
  /** The fields a link's keys are for, so that they are cast to what these hold. */
  readonly target: (link: Link) => readonly PlannedField[]
  /** Takes each key that a row leads to. */
  readonly follow: (link: Link, key: Key, own: boolean) => void
  /** Called for each own key that a row meets, by its position. */
  readonly confirmed: (slot: number, position: number) => void
}

/** Judges, follows and spools the rows of one collection; knows nothing of connections. */
export function collectionRun(options: CollectionRunOptions) {
  const { collection, cyclic, room, spoolKey, capabilities } = options
  const slots = collection.slots.map(slotState)
  const judge = rowJudge(collection, slots, options.confirmed)
  const counts = { own: 0, lookedUp: 0, others: 0, elementsLeft: 0, dropped: 0 }
  const links = collection.links.map((link) => ({
    link,
    keys: keyReader(collection, link.fields, options.target(link), () => counts.dropped++),
    meets: conditionReader(collection, link.when),
  }))
  const writers = collection.deliver.map(({ rule, paths }) => ({
    rule,
    write: rowWriter(collection.columns, paths),
    spool: undefined as Spool | undefined,
  }))
  /** What a row of arrays delivers is known when its last key is: until then it is kept as it came. */
  const raw = cyclic && (collection.arrays || collection.kept) ? room.open(spoolKey('raw')) : undefined
  const kept = collection.kept ? room.open(spoolKey(keptRows)) : undefined
  const barren = collection.erasure
    ? { spool: room.open(spoolKey(barrenKeys)), fruitful: fruitfulKeys(slots) }
    : undefined
  let chunks = 0

  const spoolOf = (writer: (typeof writers)[number]) => (writer.spool ??= room.open(spoolKey(writer.rule)))
  const deliver = (row: Row) => {
    for (const writer of writers) {
      const text = writer.write(row)
      if (text !== undefined) spoolOf(writer).append(text)
    }
  }
  const keep =
    kept &&
    ((found: Omit<KeptRow, 'place'>) => {
      kept.append(keptRowText(found))
      if (found.own) barren?.fruitful.add(found.slot, found.key)
    })
  const follow = (row: Row, document: Document | undefined, own: boolean) => {
    for (const { link, keys, meets } of links) {
      if ((own || !link.ownOnly) && meets(row, document)) {
        keys(row, document, (key) => options.follow(link, key, own && !link.lookup))
      }
    }
  }
  const take = (row: Row, chunk: number) => {
    const whole = collection.arrays ? documentOf(collection, row) : undefined
    const { first, counts: from, own, slot, key } = judge(row, whole)
    if (first === Number.POSITIVE_INFINITY || chunk < first) return
    const isOwn = own <= (cyclic ? chunk : Number.MAX_SAFE_INTEGER)
    if (chunk === first && from > chunk) counts.others++
    if (chunk < from) return
    if (chunk > from && !cyclic) return
    const filtered = whole && filterElements(whole, elementEntries(collection, slots, row, whole))
    const seen = filtered ? rowOf(collection, filtered.document) : row
    follow(seen, filtered?.document, isOwn)
    if (chunk > from) {
      if (chunk === own) {
        counts.own++
        counts.lookedUp--
      }
      return
    }
    if (chunk > first) counts.others--
    if (isOwn) counts.own++
    else counts.lookedUp++
    if (raw) raw.append(rawRowText(row))
    else {
      if (isOwn) counts.elementsLeft += filtered?.leftOut.length ?? 0
      deliver(seen)
      keep?.({ own: isOwn, slot, key, leftOut: filtered?.leftOut ?? [], row })
    }
  }
  return {
    collection,
    slots,
    counts: counts as RowCounts,
    /** Takes what earlier components found; keys that are the only ones of their slot are used as they are. */
    receive(contributions: readonly { readonly slot: number; readonly own: KeySet; readonly lookedUp: KeySet }[]) {
      for (const [at, state] of slots.entries()) {
        const found = contributions.filter(({ slot }) => slot === at)
        const isIdentity = collection.identities.some((feed) => feed.slot === at)
        if (found.length === 1 && !cyclic && !isIdentity) shareKeys(state, found[0] as (typeof found)[number])
        else for (const { own, lookedUp } of found) copyKeys(state, own, lookedUp)
      }
    },
    /** Where an own key of a slot stands, or -1. */
    position: (slot: number, key: Key) => (slots[slot] as SlotState).own.keys.find(key),
    addKey: (slot: number, key: Key, own: boolean) => addKey(slots[slot] as SlotState, key, own),
    /** The statements for keys not yet asked for. */
    next(): readonly Chunk[] {
      const most = capabilities.maxKeys
      const found = nextChunks(slots, chunks, most, capabilities.maxKeysWithoutIndex ?? most)
      chunks += found.length
      return found
    },
    async takeBatch(rows: readonly Row[], chunk: number): Promise<void> {
      for (const row of rows) take(row, chunk)
      if (raw?.full) await raw.drain()
      for (const { spool } of writers) if (spool?.full) await spool.drain()
      if (kept?.full) await kept.drain()
    },
    async finish(): Promise<{ rule: string; spooled: Spooled }[]> {
      if (raw) {
        for await (const rows of readRawRows(room.read(await raw.close()))) {
          for (const row of rows) {
            const whole = documentOf(collection, row)
            const { document, leftOut } = filterElements(whole, elementEntries(collection, slots, row, whole))
            const { own, slot, key } = judge(row, whole)
            const isOwn = own < Number.POSITIVE_INFINITY
            if (isOwn) counts.elementsLeft += leftOut.length
            deliver(rowOf(collection, document))
            keep?.({ own: isOwn, slot, key, leftOut, row })
          }
          for (const spool of [...writers.map((writer) => writer.spool), kept]) if (spool?.full) await spool.drain()
        }
      }
      const written: { rule: string; spooled: Spooled }[] = []
      if (kept) written.push({ rule: keptRows, spooled: await kept.close() })
      if (barren) {
        const { spool, fruitful } = barren
        for (const text of fruitful.others()) {
          spool.append(text)
          if (spool.full) await spool.drain()
        }
        const spooled = await spool.close()
        if (spooled.rows > 0) written.push({ rule: barrenKeys, spooled })
      }
      for (const { rule, spool } of writers) if (spool) written.push({ rule, spooled: await spool.close() })
      return written
    },
    discard() {
      raw?.discard()
      kept?.discard()
      barren?.spool.discard()
      for (const { spool } of writers) spool?.discard()
    },
  }
}

export type CollectionRun = ReturnType<typeof collectionRun>

function rowOf(collection: PlannedCollection, document: Document): Row {
  return collection.columns.map((column) => document[column])
}

function elementEntries(
  collection: PlannedCollection,
  slots: readonly SlotState[],
  row: Row,
  document: Document,
): ElementEntry[] {
  return slots.map((state) => {
    const { fields, when } = state.slot
    const met = conditionReader(collection, when)(row, document)
    const none = fields.map(() => [])
    return {
      fields,
      matches: (values) => {
        const key = met ? keyOf(values, fields, none) : undefined
        return key !== undefined && (state.own.keys.find(key) !== -1 || state.lookedUp.keys.find(key) !== -1)
      },
    }
  })
}
