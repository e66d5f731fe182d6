import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import { standsPlain } from '../../rules/erase/member-at.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { JudgedOwner } from '../../rules/plan/planned-judging.js'
import { isServed } from '../../rules/plan/served-spellings.js'
import { isSpelled } from '../../rules/plan/spelled-column.js'
import { isBlank } from '../../rules/value/cast-value.js'
import { chunkOf, type EntryState } from './entry-state.js'
import type { Key } from './key-of.js'
import { conditionalKeyReader, conditionReader } from './key-reader.js'
import { plainReader } from './plain-reader.js'

/** What one reference of a row says: nothing, the subject, a row that may be shared, unknown, or another person. */
type Said = 'nothing' | 'own' | 'indirect' | 'doubt' | 'other'

/** An entry of a collection, with what the current row says there. */
export interface EntryReader {
  readonly at: number
  readonly state: EntryState
  said: Said
  first: number
  key: Key
  look(row: Row, document: Document | undefined): void
}

export function entryReader(collection: PlannedCollection, state: EntryState, at: number): EntryReader {
  const { spellings, fields, when } = state.entry
  // A value that is no key of the referenced rows names somebody, and not the subject.
  const keys = conditionalKeyReader(collection, fields, when, fields, () => {
    if (reader.said === 'nothing') reader.said = 'other'
  })
  const column = collection.columns.indexOf(fields[0]?.path[0] as string)
  let held: unknown
  /** A row that another key found may hold a spelling that was not asked for. */
  const chunkAt = ({ keys, asked }: EntryState['own'], at: number) =>
    spellings && at !== -1 && !isServed(spellings, String(keys.at(at)), held)
      ? Number.POSITIVE_INFINITY
      : chunkOf(asked, at)
  const take = (key: Key) => {
    const own = state.own.keys.find(key)
    const indirect = state.indirect.keys.size === 0 ? -1 : state.indirect.keys.find(key)
    if (own === -1 && indirect === -1) {
      if (reader.said === 'nothing') reader.said = 'other'
      return
    }
    // A key that was first indirect and later own is asked for twice. The row came with the first of both.
    const asked = Math.min(chunkAt(state.own, own), chunkAt(state.indirect, indirect))
    if (asked < reader.first) reader.first = asked
    if (own !== -1 && reader.said !== 'own') {
      reader.said = 'own'
      reader.key = key
    } else if (reader.said === 'nothing' || reader.said === 'other') {
      reader.said = 'indirect'
      reader.key = key
    }
  }
  const reader: EntryReader = {
    at,
    state,
    said: 'nothing',
    first: Number.POSITIVE_INFINITY,
    key: 0,
    look(row, document) {
      reader.said = 'nothing'
      reader.first = Number.POSITIVE_INFINITY
      held = row[column]
      keys(row, document, take)
    },
  }
  return reader
}

/** A reference that names the owner of a row. */
export interface Owner {
  readonly owner: JudgedOwner
  look(row: Row, document: Document | undefined): void
  said(): Said
  /** Why it says `doubt`. */
  why(): string
  /** It says `doubt` because a plain value stands in the place of its members. */
  isPlain(): boolean
}

/** Reads a reference to the owner. A plain value in the place of its members may name anybody. */
export function ownerReader(collection: PlannedCollection, owner: JudgedOwner, readers: readonly EntryReader[]): Owner {
  const { name, entry, fields, when } = owner
  const reader = referenceReader(collection, owner, readers)
  const isPlain = plainReader(collection, fields, when)
  const why = () =>
    entry === undefined
      ? `'${name}' leads to a collection that is not searched`
      : `another row holds the value of '${name}' as well, so it is unclear which of them is meant`
  if (!isPlain) return { ...reader, why, isPlain: () => false }
  let plain = false
  return {
    owner,
    look(row, document) {
      plain = isPlain(row, document)
      reader.look(row, document)
    },
    said: () => (plain ? 'doubt' : reader.said()),
    why: () => (plain ? `at '${name}' ${standsPlain}` : why()),
    isPlain: () => plain,
  }
}

/** A value that refers to a collection that is not searched counts as unknown. */
function referenceReader(
  collection: PlannedCollection,
  owner: JudgedOwner,
  readers: readonly EntryReader[],
): Omit<Owner, 'why' | 'isPlain'> {
  if (owner.entry !== undefined) {
    const reader = readers[owner.entry] as EntryReader
    const { state } = reader
    const said = (): Said =>
      state.ambiguous && (reader.said === 'own' || reader.said === 'indirect') ? 'doubt' : reader.said
    if (!isSpelled(state.entry.fields[0]?.path[0])) return { owner, look: () => {}, said }
    const holds = holdingReader(collection, owner)
    let isHeld = false
    // A reference to a missing row, where the foreign key is not enforced, still names another person.
    return {
      owner,
      look(row, document) {
        isHeld = holds(row, document)
      },
      said: () => (!isHeld ? 'nothing' : reader.said === 'nothing' ? 'other' : said()),
    }
  }
  let said: Said = 'nothing'
  const isHeld = () => {
    said = 'doubt'
  }
  const keys = conditionalKeyReader(collection, owner.fields, owner.when, owner.fields, isHeld)
  const look = (row: Row, document: Document | undefined) => {
    said = 'nothing'
    keys(row, document, isHeld)
  }
  return { owner, look, said: () => said }
}

/** Whether a row holds any value in the columns of a reference. */
function holdingReader(collection: PlannedCollection, { fields, when }: JudgedOwner) {
  const parts = fields.map(({ path, placeholders }) => ({
    at: collection.columns.indexOf(path[0] as string),
    placeholders,
  }))
  const meets = conditionReader(collection, when)
  return (row: Row, document: Document | undefined): boolean =>
    parts.every(({ at, placeholders }) => !isBlank(row[at], placeholders)) && meets(row, document)
}
