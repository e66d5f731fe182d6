import type { CoverageGaps } from '@habeas/core'

/** What may be missing from a request, in the words of a person: by the kinds of its `coverage`. */
const meanings: Readonly<Record<keyof CoverageGaps, string>> = {
  columns: 'Nobody has decided on columns',
  tables: 'No dataset describes tables that seem to be about people',
  references: 'Nobody has said where columns lead that are named like keys of people',
  histories: 'No dataset describes tables that are named like histories',
  hidden: 'The database may hide rows, or mask values, of',
  filtered: 'Rows that a partition_filter leaves out were not searched in',
  unmasked: 'No rule asks for fields that have a masking_strategy',
  collections: 'No field has a data category in',
}

/** A sentence for each kind of gap that there is. */
export function gapLines(coverage: Readonly<Record<string, readonly string[]>> | null): string[] {
  return Object.entries(coverage ?? {}).flatMap(([kind, names]) =>
    // a service of a later version may say more
    names.length === 0
      ? []
      : [`${meanings[kind as keyof CoverageGaps] ?? kind}: ${names.join(', ')}. 'habeas plan' says more.`],
  )
}
