import type { Row } from '../../ports/connector.js'
import type { ConnectorCapabilities } from '../../ports/connector-capabilities.js'
import { type Document, elementsLeftOut } from '../../rules/erase/filter-elements.js'
import type { Link, PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { isOutsideLists, namesOthers } from '../../rules/plan/shared-in-part.js'
import { elementJudge } from './element-judge.js'
import {
  addKey,
  type Chunk,
  type Contribution,
  copyKeys,
  type EntryState,
  entryState,
  nextChunks,
  shareKeys,
} from './entry-state.js'
import { foundRows, foundRowText } from './found-rows.js'
import { heldBeside } from './held-beside.js'
import { heldIdentities, type KnownIdentities } from './identity-matcher.js'
import type { Key } from './key-of.js'
import { conditionalKeyReader, elementsOf, keyReader } from './key-reader.js'
import { otherValues } from './other-values.js'
import { rawRowText, readRawRows } from './raw-row-text.js'
import type { RowCounts } from './row-counts.js'
import { type Judgement, rowJudge } from './row-judge.js'
import { rowWriter } from './row-writer.js'
import type { Spool, Spooled, SpoolRoom } from './spool.js'
import { type SubjectsPart, subjectsParts } from './subjects-part.js'
import { leftMembers, undecidedParts } from './undecided-parts.js'
import { matchedKeys, unmatchedKeys } from './unmatched-keys.js'

export interface CollectionRunOptions {
  readonly collection: PlannedCollection
  readonly cyclic: boolean
  readonly room: SpoolRoom
  /** The blob key of a spool of this collection. */
  readonly spoolKey: (name: string) => string
  readonly capabilities: ConnectorCapabilities
  readonly known: KnownIdentities
  /** An erasure leaves the rows of this collection as they are, so the identities that they hold are noted. */
  readonly leavesRows: boolean
  /** The fields that a link refers to. Keys are cast to the types of these fields. */
  readonly target: (link: Link) => readonly PlannedField[]
  /** Takes each key that a row leads to. */
  readonly follow: (link: Link, key: Key, own: boolean) => void
  /** The fields that an open reference compares. */
  readonly openFields: (open: number) => readonly PlannedField[]
  /** Takes each key of an open reference, to count rows elsewhere. */
  readonly count: (open: number, key: Key) => void
  /** Takes an identity of the person that the request lacks. */
  readonly learn: (property: string, key: Key) => void
}

/** Judges, follows and spools the rows of one collection. Does not use connections. */
export function collectionRun(options: CollectionRunOptions) {
  const { collection, cyclic, room, spoolKey, capabilities, known } = options
  const entries = collection.entries.map(entryState)
  const judgeElements = elementJudge(collection, entries, known)
  const judge = rowJudge(collection, entries, known, judgeElements)
  const parts = subjectsParts(collection, entries, judgeElements)
  const counts = { own: 0, indirect: 0, shared: 0, others: 0, elementsLeft: 0 }
  const holding = options.leavesRows ? new Set<string>() : undefined
  const holds = holding && heldIdentities(collection, known.identities)
  const undecided = reasonCounts()
  const others = reasonCounts()
  const links = collection.links.map((link) => {
    const each = {
      link,
      /** No search meets an object as a whole. */
      isSearchable: options.target(link).every(({ kind }) => kind !== 'object'),
      keys: conditionalKeyReader(collection, link.fields, link.when, options.target(link), () => each.drop()),
      ownKeys: conditionalKeyReader(collection, link.fields, link.when, options.target(link)),
      drop: (): void => void each.notFollowed++,
      isBeside: isOutsideLists(collection, link.fields),
      /** The number of rows with a key for this link. */
      rows: 0,
      heldBeside: link.ambiguous ? heldBeside(collection, link, options.target(link)) : undefined,
      /** An element of somebody else holds the same key as one of the subject's in the same row. */
      isHeldBeside: false,
      /** The number of values that are no key for this link. */
      notFollowed: 0,
    }
    return each
  })
  const open = collection.open.map(({ open, fields, when }) => ({
    open,
    keys: conditionalKeyReader(collection, fields, when, options.openFields(open)),
  }))
  const learning = collection.judging.identities
    .filter(({ property }) => !known.identities.some((identity) => Object.hasOwn(identity, property)))
    .map(({ property, field }) => ({ property, read: keyReader(collection, [field], [anyKind(field)]) }))
  const undelivered = leftMembers(collection)
  const writers = collection.deliver.map(({ rule, paths }) => ({
    rule,
    write: rowWriter(collection.columns, paths, undelivered),
    spool: undefined as Spool | undefined,
  }))
  /** In a cycle the owner of a row and of its elements is known only after the last key, so rows are stored as read. */
  let raw = cyclic ? room.open(spoolKey('raw/0')) : undefined
  const rawRows: Spooled[] = []
  const kept = collection.kept ? room.open(spoolKey(foundRows)) : undefined
  const unmatched = collection.erasure
    ? { spool: room.open(spoolKey(unmatchedKeys)), matched: matchedKeys(entries) }
    : undefined
  let chunks = 0

  const spoolOf = (writer: (typeof writers)[number]) => (writer.spool ??= room.open(spoolKey(writer.rule)))
  const deliver = (row: Row) => {
    for (const writer of writers) {
      const text = writer.write(row)
      if (text !== undefined) spoolOf(writer).append(text)
    }
  }
  const follow = (row: Row, whole: Document | undefined, judgement: Judgement, part: SubjectsPart) => {
    const { filtered, seen, alone } = part
    const document = filtered?.document
    const isOwn = judgement.whose === 'own'
    // The row's lists name other people as well, so the fields next to the lists may be theirs.
    const mine = filtered?.alone ?? filtered
    const others = namesOthers(collection, row, mine?.leftOut)
    for (const each of links) {
      let holds = false
      each.keys(seen, document, (key) => {
        if (!each.isSearchable) return each.drop()
        holds = true
        options.follow(each.link, key, isOwn && !alone && each.link.kind !== 'part' && !(others && each.isBeside))
      })
      // Elements that others may share lead to what others may share.
      if (alone && isOwn && each.isSearchable && each.link.kind !== 'part' && !(others && each.isBeside))
        each.ownKeys(row, alone, (key) => options.follow(each.link, key, true))
      if (holds) each.rows++
      if (holds && whole && mine?.leftOut.length)
        each.isHeldBeside ||= each.heldBeside?.(row, whole, mine.document) ?? false
    }
    for (const { open: at, keys } of open) keys(seen, document, (key) => options.count(at, key))
    if (!judgement.byIdentity) return
    for (const { property, read } of learning) read(seen, document, (key) => options.learn(property, key))
  }
  /** Counts, follows and delivers a row whose owner is known. */
  const settle = (row: Row, judgement: Judgement) => {
    const { whose, reason, by, entry, key } = judgement
    if (whose === 'none') return
    if (whose === 'undecided') return undecided.add(by, reason ?? '')
    const whole = elementsOf(collection, row)
    const part = parts.of(row, whole, judgement)
    const { filtered, seen } = part
    if (whose === 'others') {
      counts.others++
      if (collection.others) deliver(seen)
      return
    }
    counts[whose]++
    for (const each of undecidedParts(collection, seen, filtered?.unknown)) undecided.add(each.name, each.why)
    for (const each of otherValues(collection, row, part.leftOut, judgement)) others.add(each.name, each.why)
    for (const name of holds?.(row, whole) ?? []) holding?.add(name)
    if (!cyclic) follow(row, whole, judgement, part)
    if (whose === 'own') counts.elementsLeft += elementsLeftOut(part.leftOut)
    deliver(seen)
    if (!kept) return
    const found = { own: whose === 'own', entry, key, row, ...parts.kept(row, whole, part, judgement) }
    kept.append(foundRowText({ ...found, ...(whose === 'shared' && { reason: reason as string }) }))
    if (whose === 'own') unmatched?.matched.add(entry, key)
  }
  const take = (row: Row, chunk: number) => {
    const whole = elementsOf(collection, row)
    const judgement = judge(row, whole)
    if (chunk < judgement.first || judgement.first === Number.POSITIVE_INFINITY) return
    if (!raw) {
      if (chunk === judgement.first) settle(row, judgement)
      return
    }
    if (chunk === judgement.first) raw.append(rawRowText(row))
    followIfSubjects(row, whole, judgement)
  }
  /** Follows a row that is the subject's by the keys found so far. More keys never take a row away from the subject. */
  const followIfSubjects = (row: Row, whole: Document | undefined, judgement: Judgement) => {
    const { whose } = judgement
    if (whose !== 'own' && whose !== 'indirect' && whose !== 'shared') return
    follow(row, whole, judgement, parts.of(row, whole, judgement))
  }
  const drain = async () => {
    for (const spool of [...writers.map((writer) => writer.spool), kept]) if (spool?.full) await spool.drain()
  }
  async function* rawBatches() {
    if (!raw) return
    rawRows.push(await raw.close())
    raw = room.open(spoolKey(`raw/${rawRows.length}`))
    for (const rows of rawRows) yield* readRawRows(room.read(rows))
  }
  return {
    collection,
    entries,
    counts: (): RowCounts => ({
      ...counts,
      undecided: undecided.all(),
      ...(others.all().length > 0 && { otherValues: others.all() }),
      ...(holding && { holding: [...holding] }),
      notFollowed: links
        .filter(({ link, notFollowed }) => notFollowed > 0 && link.kind !== 'compared')
        .map(({ link, link: { fields, to }, notFollowed }) => ({
          reference: `${collection.address}.${fields.map(({ name }) => name).join(', ')}`,
          to,
          values: notFollowed,
          ...([...fields, ...options.target(link)].some(({ kind }) => kind === 'boolean') && {
            asBoolean: true as const,
          }),
        })),
    }),
    /** The number of rows found so far, for progress. */
    get found() {
      return counts.own + counts.indirect + counts.shared
    },
    /** The number of the subject's rows with a key for a link. */
    rowsOf: (link: Link) => links.find((each) => each.link === link)?.rows ?? 0,
    isHeldBeside: (link: Link) => links.some((each) => each.link === link && each.isHeldBeside),
    /** Takes the keys that earlier components found. The keys of an entry's only contribution are used without a copy. */
    receive(contributions: readonly Contribution[]) {
      for (const [at, state] of entries.entries()) {
        const found = contributions.filter(({ entry }) => entry === at)
        if (found.some(({ ambiguous }) => ambiguous)) state.ambiguous = true
        const isIdentity = collection.identities.some((seed) => seed.entry === at)
        if (found.length === 1 && !cyclic && !isIdentity) shareKeys(state, found[0] as Contribution)
        else for (const { own, indirect } of found) copyKeys(state, own, indirect)
      }
    },
    addKey: (entry: number, key: Key, own: boolean) => addKey(entries[entry] as EntryState, key, own),
    /** The statements for keys that were not asked for yet. */
    next(): readonly Chunk[] {
      const found = nextChunks(entries, chunks, capabilities)
      chunks += found.length
      return found
    },
    async takeBatch(rows: readonly Row[], chunk: number): Promise<void> {
      for (const row of rows) take(row, chunk)
      if (raw?.full) await raw.drain()
      await drain()
    },
    /** Follows all rows of a cycle once more, because keys that were found since may have made them the subject's. */
    async followAgain(): Promise<void> {
      for (const each of links) Object.assign(each, { rows: 0, notFollowed: 0 })
      for await (const rows of rawBatches()) {
        for (const row of rows) {
          const whole = elementsOf(collection, row)
          followIfSubjects(row, whole, judge(row, whole))
        }
      }
    },
    async finish(): Promise<{ rule: string; spooled: Spooled }[]> {
      for await (const rows of rawBatches()) {
        for (const row of rows) {
          settle(row, judge(row, elementsOf(collection, row)))
        }
        await drain()
      }
      const written: { rule: string; spooled: Spooled }[] = []
      if (kept) written.push({ rule: foundRows, spooled: await kept.close() })
      if (unmatched) {
        const { spool, matched } = unmatched
        for (const text of matched.unmatched()) {
          spool.append(text)
          if (spool.full) await spool.drain()
        }
        const spooled = await spool.close()
        if (spooled.rows > 0) written.push({ rule: unmatchedKeys, spooled })
      }
      for (const { rule, spool } of writers) if (spool) written.push({ rule, spooled: await spool.close() })
      return written
    },
    discard() {
      raw?.discard()
      kept?.discard()
      unmatched?.spool.discard()
      for (const { spool } of writers) spool?.discard()
    },
  }
}

/** Counts rows by field and reason. */
function reasonCounts() {
  const counts = new Map<string, { by: string; why: string; rows: number }>()
  return {
    add(by: string, why: string): void {
      const name = `${by}\n${why}`
      const known = counts.get(name) ?? { by, why, rows: 0 }
      known.rows++
      counts.set(name, known)
    },
    all: () => [...counts.values()],
  }
}

export type CollectionRun = ReturnType<typeof collectionRun>

/** A learned identity is compared with fields of any type. */
function anyKind({ kind, ...field }: PlannedField): PlannedField {
  return field
}
