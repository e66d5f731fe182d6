import { readFileSync } from 'node:fs'
import type { SampleSchema } from '../sample-schema.js'

/** A sample schema with tables that have no key: their rows are told apart by all they hold. */
export interface FreshSchema extends SampleSchema {
  /** By table without a key: which rows are a person's own; `$1` is who the person is. */
  readonly keyless: Readonly<Record<string, string>>
  /** A category without which some people cannot be deleted: their requests are refused and touch nothing. */
  readonly needed?: {
    /** `collection.field` */
    readonly category: string
    /** What the request says then. */
    readonly without: RegExp
    /** Who. */
    readonly by: readonly string[]
  }
}

/** The SQL that stands beside the file of a schema. */
export function freshSql(name: string): string {
  return readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
}

/** The schema as it is answered by somebody who has not thought of the category that some deletions need. */
export function withoutNeeded<Schema extends FreshSchema>(schema: Schema): Schema {
  const { needed, answers } = schema
  const categories = Object.entries(answers.categories).filter(([place]) => place !== needed?.category)
  return { ...schema, answers: { ...answers, categories: Object.fromEntries(categories) } }
}
