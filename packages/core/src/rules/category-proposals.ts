import type { CatalogueCollection, Column } from '../model/catalogue.js'
import type { ValueKind } from '../model/value.js'
import { type NamePattern, namePatterns, people } from './column-name-patterns.js'
import { snakeCase } from './name-words.js'

/** What a column may hold, judged by its name alone: for a person to accept or to strike out, never applied by itself. */
export interface CategoryProposal {
  readonly collection: string
  readonly field: string
  readonly category: string
  /** From 0 to 1. */
  readonly confidence: number
  readonly reason: string
}

/** One proposal at most for each column. Columns of yes, no and instants are flags and times, not the thing itself. */
export function proposeCategories(collections: readonly CatalogueCollection[]): CategoryProposal[] {
  return collections.flatMap((collection) => {
    const personal = people.test(snakeCase(collection.name))
    return collection.columns.flatMap((column) => proposal(collection.name, column, personal) ?? [])
  })
}

function proposal(collection: string, column: Column, personal: boolean): CategoryProposal | undefined {
  const name = snakeCase(column.name)
  const pattern = namePatterns.find((pattern) => pattern.name.test(name) && holds(pattern, column.kind))
  if (!pattern) return undefined
  const confidence = personal ? pattern.confidence : (pattern.elsewhere ?? pattern.confidence)
  if (confidence === 0) return undefined
  const reason = `The column is named like ${pattern.like}.`
  return { collection, field: column.name, category: pattern.category, confidence, reason }
}

function holds({ kinds = [] }: NamePattern, kind: ValueKind | undefined): boolean {
  return kind === undefined || kind === 'string' || kinds.includes(kind)
}
