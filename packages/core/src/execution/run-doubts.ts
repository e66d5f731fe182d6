import { formatAddress } from '../model/address.js'
import type { CollectionResult } from '../model/collection-result.js'
import type { PrivacyRequest } from '../model/privacy-request.js'
import type { NotSearched } from '../results/package-content.js'
import { countedRows } from '../rules/counted-rows.js'
import type { Plan } from '../rules/plan.js'
import { rowsFound } from './collection-run.js'
import type { CollectionOutcome } from './component-run.js'

/** What the record says of rows and identities that nobody has decided on. */
export function doubtsOf(
  results: readonly CollectionResult[],
  unconfirmed: readonly string[],
  { coverage }: Plan,
): Partial<PrivacyRequest> {
  const hides = (coverage.hidden ?? []).length > 0
  const isIncomplete = hides || unconfirmed.length > 0 || results.some(({ undecided = [] }) => undecided.length > 0)
  return {
    ...(isIncomplete && { incomplete: true }),
    ...(unconfirmed.length > 0 && { unconfirmed }),
    ...(Object.keys(coverage).length > 0 && { coverage }),
  }
}

/** Why an erasure does not begin that is to reach everything. */
export function uncovered({ coverage }: Plan): string {
  const names = Object.values(coverage).flat()
  const more = names.length > 5 ? ` (and ${names.length - 5} more)` : ''
  return `Nothing was erased, since nobody has decided on ${names.slice(0, 5).join(', ')}${more}: describe them, or say 'reviewed', or leave out the option coverage: 'strict'.`
}

/** What a package says was left out: rows of which nobody has said whose they are. */
export function leftOut(results: readonly CollectionResult[]): NotSearched[] {
  return results.flatMap(({ dataset, collection, undecided = [] }) =>
    undecided.map(({ reference, rowCount, reason }) => ({
      collection: formatAddress(dataset, collection),
      reason: `${rowCount === null ? 'rows' : countedRows(rowCount)} left out that may be this person's by ${reference}: ${reason}`,
    })),
  )
}

export function isEmpty(outcomes: ReadonlyMap<string, CollectionOutcome>): boolean {
  return [...outcomes.values()].every(({ counts }) => rowsFound(counts) === 0)
}
