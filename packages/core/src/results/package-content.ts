import type { UndecidedResult } from '../model/collection-result.js'
import type { CoverageGaps } from '../model/coverage-gaps.js'
import type { PackageText } from '../rules/package/package-text.js'
import { countedRows } from '../rules/value/counted-rows.js'

/** Rows of one collection as the run spooled them: JSON texts, separated by a comma and a line break. */
export interface PackageSection {
  /** `dataset:collection`. */
  readonly address: string
  readonly rowCount: number
  /** Every call reads from the first row on: a table needs its columns before its first row. */
  readonly rows: () => AsyncIterable<Uint8Array>
}

/** The upload of a person for a manual webhook. It goes into the package as it is, whatever a policy asks for. */
export interface ManualUpload {
  /** The key of the webhook's connection. */
  readonly webhook: string
  /** Its name for people; its key when left out. */
  readonly name?: string
  /** The label of each field, as its definition words it, and a JSON scalar or a list of them. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface NotSearched {
  readonly collection: string
  readonly reason: string
}

/** Undecided rows of a collection. */
export interface LeftOutRows extends UndecidedResult {
  readonly collection: string
  /** Only a part of each row is left out. */
  readonly inPart?: true
}

/** Open decisions that keep data out of a package. Names and counts, never a value. */
export interface PackageDoubts {
  readonly undecided: readonly LeftOutRows[]
  readonly coverage: CoverageGaps
  /** Identity properties that no search used alone. */
  readonly unconfirmed: readonly string[]
}

/** The content from which every format of a package is written. Nothing in it is read before it is written. */
export interface PackageContent extends PackageDoubts {
  readonly sections: readonly PackageSection[]
  readonly manual: readonly ManualUpload[]
  /** Addresses of the collections that were searched for what the rule asks for. */
  readonly searched: readonly string[]
  readonly notSearched: readonly NotSearched[]
}

/** That nothing was found, in words. Undefined where something was, or where people have looked something up. */
export function nothingFoundText(texts: PackageText, content: PackageContent): string | undefined {
  if (filledSections(content).length + content.manual.length > 0) return undefined
  if (content.searched.length === 0) return texts.say('nothing_searched')
  const isMissing = content.notSearched.length > 0 || incompleteText(texts, content) !== undefined
  return texts.say(isMissing ? 'found_nothing_searched' : 'found_nothing')
}

/** Sections that hold something: a collection without rows is left out. */
export function filledSections({ sections }: PackageContent): readonly PackageSection[] {
  return sections.filter(({ rowCount }) => rowCount > 0)
}

/** The collections that were not searched, and the rows that were left out of those that were, for programs. */
export function notSearchedEntries({ notSearched, undecided }: PackageContent): readonly NotSearched[] {
  const left = undecided.map(({ collection, reference, rowCount, reason, inPart }) => ({
    collection,
    reason: `${inPart ? 'a part of ' : ''}${rowCount === null ? 'rows' : countedRows(rowCount)} left out that may be this person's by ${reference}: ${reason}`,
  }))
  return [...notSearched, ...left]
}

/** One sentence for each reason why a package may be incomplete; undefined without a reason. */
export function incompleteText(
  texts: PackageText,
  { undecided, coverage, unconfirmed }: PackageDoubts,
): string | undefined {
  const sentences = [
    ...(undecided.length > 0 ? [texts.say('incomplete_undecided')] : []),
    ...((coverage.hidden ?? []).length > 0 ? [texts.say('incomplete_hidden')] : []),
    ...((coverage.filtered ?? []).length > 0 ? [texts.say('incomplete_filtered')] : []),
    ...(unconfirmed.length > 0 ? [texts.say('incomplete_unconfirmed', { properties: unconfirmed.join(', ') })] : []),
  ]
  return sentences.length > 0 ? sentences.join(' ') : undefined
}
