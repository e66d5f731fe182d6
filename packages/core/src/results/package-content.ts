import type { UndecidedResult } from '../model/collection-result.js'
import type { CoverageGaps } from '../model/coverage-gaps.js'
import type { PackageText } from '../rules/package/package-text.js'
import { countedRows } from '../rules/value/counted-rows.js'

/** Rows of one collection as the run spooled them: JSON texts, parted by a comma and a line break. */
export interface PackageSection {
  /** `dataset:collection`. */
  readonly address: string
  readonly rowCount: number
  /** Every call reads from the first row on: a table needs its columns before its first row. */
  readonly rows: () => AsyncIterable<Uint8Array>
}

/** What a person uploaded for a manual webhook. It goes into the package as it is, whatever a policy asks for. */
export interface ManualUpload {
  /** The key of the webhook's connection. */
  readonly webhook: string
  /** What to call it where people read; its key when left out. */
  readonly name?: string
  /** The label of each field, as its definition words it, and a JSON scalar or a list of them. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface NotSearched {
  readonly collection: string
  readonly reason: string
}

/** Rows of a collection of which nobody has said whose they are. */
export interface LeftOutRows extends UndecidedResult {
  readonly collection: string
}

/** What nobody has decided on, so that it is not in a package. Names and counts, never a value. */
export interface PackageDoubts {
  readonly undecided: readonly LeftOutRows[]
  readonly coverage: CoverageGaps
  /** Identity properties by which nothing was looked for alone. */
  readonly unconfirmed: readonly string[]
}

/** What every format of a package is written from. Nothing in it is read before it is written. */
export interface PackageContent extends PackageDoubts {
  readonly sections: readonly PackageSection[]
  readonly manual: readonly ManualUpload[]
  readonly notSearched: readonly NotSearched[]
}

/** Sections that hold something: a collection without rows is left out. */
export function filledSections({ sections }: PackageContent): readonly PackageSection[] {
  return sections.filter(({ rowCount }) => rowCount > 0)
}

/** What programs read of what is not there: what was not searched, and what was left out of what was. */
export function notSearchedEntries({ notSearched, undecided }: PackageContent): readonly NotSearched[] {
  const left = undecided.map(({ collection, reference, rowCount, reason }) => ({
    collection,
    reason: `${rowCount === null ? 'rows' : countedRows(rowCount)} left out that may be this person's by ${reference}: ${reason}`,
  }))
  return [...notSearched, ...left]
}

/** One sentence for each reason why a package may not be all there is; undefined: there is none. */
export function incompleteText(
  texts: PackageText,
  { undecided, coverage, unconfirmed }: PackageDoubts,
): string | undefined {
  const sentences = [
    ...(undecided.length > 0 ? [texts.say('incomplete_undecided')] : []),
    ...((coverage.hidden ?? []).length > 0 ? [texts.say('incomplete_hidden')] : []),
    ...(unconfirmed.length > 0 ? [texts.say('incomplete_unconfirmed', { properties: unconfirmed.join(', ') })] : []),
  ]
  return sentences.length > 0 ? sentences.join(' ') : undefined
}
