import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import { holdsListAt, standsPlain, unknownListAt } from '../../rules/erase/member-at.js'
import { isWithin } from '../../rules/plan/part-doubts.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { JudgedOwner } from '../../rules/plan/planned-judging.js'
import { type ElementJudge, elementJudge } from './element-judge.js'
import { type EntryReader, entryReader, type Owner, ownerReader } from './entry-reader.js'
import type { EntryState } from './entry-state.js'
import { type IdentityVerdict, identityMatcher, type KnownIdentities } from './identity-matcher.js'
import type { Key } from './key-of.js'
import { plainReader } from './plain-reader.js'

/**
 * Whose a row is. `own`: the subject's. `indirect`: the subject's as far as is known, because a row of theirs, perhaps
 * a shared one, refers to it. `shared`: the subject's and another person's. `undecided`: the description does not say.
 * `others`: another person's. `none`: not a row that the run searches.
 */
export type Whose = 'own' | 'indirect' | 'shared' | 'undecided' | 'others' | 'none'

export interface Judgement {
  /** The first chunk whose keys the row matches. Infinite if there is none. */
  first: number
  whose: Whose
  /** Why a row is shared or undecided. */
  reason: string | undefined
  /** The field of an undecided row that leads to the subject, or the one by which an identity of a shared row differs. */
  by: string
  /** The key that found the row, if possible an own one, and the entry of that key. */
  entry: number
  key: Key
  /** An identity of the request decided. */
  byIdentity: boolean
  /** The row is somebody else's, and only elements of its lists are the subject's. */
  isInside: boolean
}

/**
 * Decides whose each row is, from the row and from all keys found so far. A row that is the subject's stays so when more
 * keys are found.
 */
export function rowJudge(
  collection: PlannedCollection,
  entries: readonly EntryState[],
  known: KnownIdentities,
  judgeElements: ElementJudge = elementJudge(collection, entries, known),
) {
  const { judging, address, columns } = collection
  const readers = entries.map((state, at) => entryReader(collection, state, at))
  const all = judging.owners.map((owner) => ownerReader(collection, owner, readers))
  const owners = all.filter(({ owner }) => !owner.inside)
  const open = judging.open.map((owner) => ownerReader(collection, owner, readers))
  const named = owners.filter(({ owner }) => owner.names)
  const parts = judging.parts.map((entry) => readers[entry] as EntryReader)
  const { first, identities, doubted = [] } = judging
  const objects = (judging.objects ?? []).map((path) => ({
    path,
    at: columns.indexOf(path[0] as string),
    within: readers.filter(({ state: { entry } }) => entry.fields.some((field) => isWithin(field.path, path))),
  }))
  const match = identityMatcher(
    collection,
    identities.filter(({ inside }) => !inside),
    known,
  )
  const nested = identities.flatMap(({ field, inside }) => {
    const isPlain = inside ? undefined : plainReader(collection, [field])
    return isPlain ? [{ name: field.name, isPlain }] : []
  })
  const judgement: Judgement = {
    first: 0,
    whose: 'none',
    reason: undefined,
    by: '',
    entry: 0,
    key: 0,
    byIdentity: false,
    isInside: false,
  }
  const decide = (whose: Whose, reason?: string, by = '') => {
    judgement.whose = whose
    judgement.reason = reason
    judgement.by = by
  }
  /** A row that a reference makes the subject's counts as found by that reference, because an erasure checks it again. */
  const decideBy = ({ owner: { entry } }: Owner, what: 'own' | 'indirect') => {
    decide(what)
    const reader = entry === undefined ? undefined : readers[entry]
    if (!reader || reader.state.entry.compared) return
    judgement.entry = reader.at
    judgement.key = reader.key
  }
  const undecided = (by: string, why: string) => decide('undecided', why, `${address}.${by}`)

  const leadingOpenly = () => open.find(({ said }) => said() === 'own' || said() === 'indirect')?.owner.name
  /** The field of a reference that leads to the subject. Undefined if there is none. */
  const leading = (): string | undefined =>
    owners.find(({ said }) => said() === 'own' || said() === 'indirect')?.owner.name ??
    parts.find((reader) => reader.said !== 'nothing' && reader.said !== 'other')?.state.entry.fields[0]?.name

  /** The declared owner decides, by its first field that holds a value. */
  const byOwner = (verdict: () => IdentityVerdict, plain: () => readonly { readonly name: string }[]): boolean => {
    let passed: string | undefined
    let holds = false
    for (const entry of first ?? []) {
      if ('identity' in entry) {
        const name = identities[entry.identity]?.field.name as string
        if (plain().some((each) => each.name === name)) {
          undecided(name, standsPlain)
          return true
        }
        const { kind, matching, differing, unknown, direct } = verdict()
        if (unknown.includes(name)) passed ??= name
        if (!matching.includes(name) && !differing.includes(name)) continue
        holds = true
        if (!matching.includes(name)) break
        if (kind === 'doubtful') undecided(name, `'${name}' alone does not say that it is the person's`)
        else decide('own')
        judgement.byIdentity = kind !== 'doubtful' && direct
        return true
      }
      const owning = all[entry.owner] as Owner
      const { owner } = owning
      const what = owning.said()
      if (what === 'nothing') continue
      holds = true
      if (what === 'other') break
      if (what === 'doubt') undecided(owner.name, owning.why())
      else decideBy(owning, what)
      return true
    }
    if (!holds && passed === undefined) return false
    const by = passed === undefined ? undefined : (leading() ?? leadingOpenly())
    if (by !== undefined) undecided(by, `'${passed}' names somebody who may or may not be the person`)
    else decide('others')
    return true
  }

  const byIdentity = (verdict: IdentityVerdict): boolean => {
    const { kind, matching, differing } = verdict
    if (kind === 'none' || kind === 'unknown') return false
    const name = matching[0] as string
    if (kind === 'match') {
      judgement.byIdentity = verdict.direct
      // A reference that names its person leads to another row. It does not say whose this row is.
      const elsewhere = owners.find(({ owner, said }) => !owner.names && said() === 'other')
      const indirectly = owners.find(({ said }) => said() === 'indirect')
      if (differing.length > 0) decide('shared', otherValue(differing[0] as string), `${address}.${differing[0]}`)
      else if (elsewhere) decide('shared', `belongs to another person by ${elsewhere.owner.name}`)
      else if (indirectly) decideBy(indirectly, 'indirect')
      else {
        const doubt = owners.find(({ said }) => said() === 'doubt')
        // A unique identity outweighs open references, and nothing else.
        const isContrary = ({ owner, said, isPlain }: Owner) =>
          said() === 'other' || (said() === 'doubt' && (owner.entry === undefined || isPlain()))
        const contrary = isUnique(matching) ? undefined : open.find(isContrary)?.owner
        if (doubt)
          undecided(
            name,
            `belongs to the person by ${name}, or to somebody else by ${doubt.owner.name}, ${doubt.why()}`,
          )
        else if (contrary) undecided(name, `belongs to the person by ${name}, or to somebody else by ${contrary.name}`)
        else decide('own')
      }
    } else if (kind === 'doubtful') {
      undecided(name, `${name} alone does not say that it is the person's`)
    } else if (kind === 'part') {
      if (differing.length > 0)
        undecided(name, `belongs to the person by ${name}, or to somebody else by ${differing[0]}`)
      else undecided(name, `no element of its lists holds ${matching.join(' and ')} together`)
    } else {
      const by = leading() ?? leadingOpenly()
      if (by === undefined) decide('others')
      else undecided(by, `belongs to the person by ${by}, or to somebody else by ${differing[0]}`)
    }
    return true
  }
  const isUnique = (matching: readonly string[]) =>
    identities.some(({ unique, field }) => unique && matching.includes(field.name))

  const naming = (judging.named ?? []).map((entry) => readers[entry] as EntryReader)
  /** The field by which a row of the subject names this row. */
  const namedBy = () => naming.find(({ said }) => said === 'own' || said === 'indirect')?.state.entry.fields[0]?.name

  const byReferences = (): boolean => {
    let lead: JudgedOwner | undefined
    let isAllOwn = true
    let doubt: Owner | undefined
    let elsewhere: Owner | undefined
    for (const each of owners) {
      const what = each.said()
      if (what === 'doubt') doubt ??= each
      else if (what === 'other') elsewhere ??= each
      else if (what !== 'nothing') {
        lead ??= each.owner
        if (what !== 'own') isAllOwn = false
      }
    }
    if (!lead && !doubt && !elsewhere) return false
    if (!lead) {
      const openly = leadingOpenly() ?? namedBy()
      if (doubt) undecided(doubt.owner.name, doubt.why())
      else if (openly !== undefined)
        undecided(openly, `belongs to the person by ${openly}, or to somebody else by ${elsewhere?.owner.name}`)
      else decide('others')
    } else if (doubt) undecided(lead.name, `belongs to the person by ${lead.name}, but ${doubt.why()}`)
    else if (elsewhere) decide('shared', `belongs to another person by ${elsewhere.owner.name}`)
    else decide(isAllOwn ? 'own' : 'indirect')
    return true
  }

  const byParts = (verdict: IdentityVerdict) => {
    const reader = parts.find(({ said }) => said === 'own') ?? parts.find(({ said }) => said === 'indirect')
    if (!reader) return decide('none')
    const name = reader.state.entry.fields.map((field) => field.name).join(', ')
    // Other people may refer to the same row, so it can be indirect. An unknown identity leaves it undecided.
    if (verdict.kind !== 'unknown') return decide(reader.said === 'own' ? 'own' : 'indirect')
    undecided(
      name,
      `the person refers to it, but '${verdict.unknown[0]}' names somebody who may or may not be the person`,
    )
  }

  /** A row that holds an identity of the subject in a field that may name another person is reported as undecided. */
  const byDoubted = () => {
    const entry = doubted.find((at) => (readers[at] as EntryReader).said === 'own')
    const name = entry === undefined ? undefined : (readers[entry] as EntryReader).state.entry.fields[0]?.name
    if (name !== undefined) undecided(name, `'${name}' may name somebody other than the owner of the row`)
  }

  const outside = readers.filter(({ state }) => !state.entry.inside)
  const inside = readers.filter(({ state }) => state.entry.inside)
  /** The row is not the subject's. Elements of its lists may be. */
  const byElements = (row: Row, document: Document | undefined) => {
    const isFound = inside.some(({ said }) => said === 'own' || said === 'indirect')
    if (!isFound || !document) return
    const { holdsElement, unknown, alone } = judgeElements({ row, document, isInside: true })
    const [doubt] = unknown
    if (!holdsElement) return doubt && undecided(doubt.field.name, doubt.why)
    decide(foundBy(inside, [], judgement) && alone?.holdsElement !== false ? 'own' : 'indirect')
    judgement.isInside = true
    judgement.byIdentity = false
  }

  /** Whose what stands in such a list is cannot be told: its elements were taken for one object. */
  const byUnknownList = (row: Row) => {
    if (judgement.whose === 'none') return
    for (const { path, at, within } of objects) {
      // in a row of somebody else an element may be the subject's
      if (judgement.whose === 'others' && !within.some(({ said }) => said === 'own' || said === 'indirect')) continue
      if (holdsListAt(row[at], path.slice(1))) return undecided(path.join('.'), unknownListAt(path))
    }
  }

  return (row: Row, document?: Document): Judgement => {
    judgement.first = Number.POSITIVE_INFINITY
    for (const reader of readers) {
      reader.look(row, document)
      if (!reader.state.entry.compared && reader.first < judgement.first) judgement.first = reader.first
    }
    foundBy(inside, [], judgement)
    foundBy(outside, doubted, judgement)
    judgement.byIdentity = false
    judgement.isInside = false
    for (const owner of owners) owner.look(row, document)
    for (const owner of open) owner.look(row, document)
    let seen: IdentityVerdict | undefined
    const verdict = () => (seen ??= match(row, document))
    /** Identities in whose place a plain value stands. It may be another person's. */
    const plain = () => nested.filter(({ isPlain }) => isPlain(row, document))
    const name = named.find(({ said }) => said() === 'own' || said() === 'indirect')
    if (name) decide(name.said() === 'own' ? 'own' : 'indirect')
    else if (!(first && byOwner(verdict, plain))) {
      if (!byIdentity(verdict()) && !byReferences()) byParts(verdict())
      const [doubt] = judgement.whose === 'own' || judgement.whose === 'indirect' ? plain() : []
      if (doubt) undecided(doubt.name, standsPlain)
    }
    if (judgement.whose === 'none' || judgement.whose === 'others') byElements(row, document)
    if (judgement.whose === 'none' || (judgement.whose === 'others' && !first)) byDoubted()
    byUnknownList(row)
    return judgement
  }
}

/** Why a row with an identity of the subject may be somebody else's as well: it holds a second value of that property. */
const otherValue = (field: string) =>
  `${field} holds a second value, the person's or somebody else's: name it in the request where it is theirs, or say in 'owner' which field decides`

/** Notes the key that found a row, and its entry. Returns whether it is an own one. */
function foundBy(readers: readonly EntryReader[], doubted: readonly number[], judgement: Judgement): boolean {
  let isOwn = false
  for (const reader of readers) {
    if (reader.state.entry.compared) continue
    if (reader.said === 'nothing' || reader.said === 'other' || isOwn || doubted.includes(reader.at)) continue
    isOwn = reader.said === 'own'
    judgement.entry = reader.at
    judgement.key = reader.key
  }
  return isOwn
}
