import type { Row } from '../../ports/connector.js'
import { type Document, type ElementPath, elementsLeftOut } from '../../rules/erase/filter-elements.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { ElementJudge, SubjectsElements } from './element-judge.js'
import type { EntryState } from './entry-state.js'
import type { FoundRow } from './found-rows.js'
import { conditionalKeyReader } from './key-reader.js'
import type { Judgement } from './row-judge.js'

/** What of a row is the subject's. */
export interface SubjectsPart {
  readonly filtered: SubjectsElements | undefined
  /** The row as it is delivered. */
  readonly seen: Row
  /** The document with elements that are the subject's alone. Absent where all that are left are. */
  readonly alone: Document | undefined
  /** What an erasure leaves out. */
  readonly leftOut: readonly ElementPath[]
}

/**
 * Tells what of each row is delivered, and what of it an erasure may write. An own row may hold elements that are the
 * subject's only as far as is known, as a shared row is: an erasure leaves them, unless shared rows are erased.
 */
export function subjectsParts(
  collection: PlannedCollection,
  entries: readonly EntryState[],
  judgeElements: ElementJudge,
) {
  const { erasure } = collection
  const mayStay = collection.kept && erasure?.onShared !== 'erase'
  const inLists = entries.flatMap((state, at) => {
    const { compared, part, fields, when } = state.entry
    return compared || part || !fields.some(({ filteredDepth }) => filteredDepth > 0)
      ? []
      : [{ at, state, read: conditionalKeyReader(collection, fields, when) }]
  })
  const hasOwners = entries.some(({ entry }) => entry.inside)
  // a copy of a document has a prototype, and a column may be called like one of its members
  const rowOf = (document: Document): Row =>
    collection.columns.map((column) => (Object.hasOwn(document, column) ? document[column] : undefined))
  /** The keys that say of elements that they are the subject's alone, besides the one that found the row. */
  const moreKeys = (row: Row, document: Document, found: Pick<FoundRow, 'entry' | 'key'>) => {
    const more: (readonly [number, FoundRow['key']])[] = []
    for (const { at, state, read } of inLists) {
      const known = new Set<FoundRow['key']>()
      read(row, document, (key) => {
        if (known.has(key) || state.own.keys.find(key) === -1 || (found.entry === at && found.key === key)) return
        known.add(key)
        more.push([at, key])
      })
    }
    return more
  }
  return {
    of(row: Row, document: Document | undefined, { isInside, whose }: Judgement): SubjectsPart {
      if (!document) return { filtered: undefined, seen: row, alone: undefined, leftOut: [] }
      const filtered = judgeElements({ row, document, isInside })
      const { alone } = filtered
      const leftOut = alone && mayStay && whose === 'own' ? alone.leftOut : filtered.leftOut
      return { filtered, seen: rowOf(filtered.document), alone: alone?.document, leftOut }
    },
    /** What an erasure has to know of the elements of a row. */
    kept(
      row: Row,
      document: Document | undefined,
      { filtered, alone, leftOut }: SubjectsPart,
      { whose, isInside, entry, key }: Judgement,
    ): Partial<FoundRow> & Pick<FoundRow, 'leftOut'> {
      if (!document || !filtered || inLists.length === 0) return { leftOut }
      const fewer = whose === 'own' ? filtered.alone : undefined
      const sharesElements = fewer && elementsLeftOut(fewer.leftOut) > elementsLeftOut(filtered.leftOut)
      const inOthers = whose !== 'own' && !isInside && hasOwners && mayStay
      const beside = inOthers ? judgeElements({ row, document, isInside: true }) : undefined
      const ownest = beside && (beside.alone ?? beside)
      const more = moreKeys(row, (ownest ?? { document: alone ?? filtered.document }).document, { entry, key })
      return {
        leftOut,
        ...(sharesElements && { sharesElements }),
        ...(ownest?.holdsElement && { beside: ownest.leftOut }),
        ...(more.length > 0 && { more }),
      }
    },
  }
}
