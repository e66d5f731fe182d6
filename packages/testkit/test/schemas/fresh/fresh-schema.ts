import { readFileSync } from 'node:fs'
import type { Person, SampleSchema } from '../sample-schema.js'

/** A sample schema with tables that have no key: their rows are told apart by all they hold. */
export interface FreshSchema extends SampleSchema {
  /** By table without a key: which rows are a person's own; `$1` is who the person is. */
  readonly keyless: Readonly<Record<string, string>>
  /** By `collection.field`: identities that the draft does not know, in which these texts stand for none. */
  readonly placeholders?: Readonly<Record<string, readonly string[]>>
  /** By `collection.field`: categories that the draft is wrong about. */
  readonly notPersonal?: readonly string[]
  /** By `who`: people whom the library does not delete yet, each with the reason. */
  readonly undeleted?: Readonly<Record<string, string>>
}

/** The SQL that stands beside the file of a schema. */
export function freshSql(name: string): string {
  return readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
}

export function deletable({ people, undeleted = {} }: FreshSchema): readonly Person[] {
  return people.filter(({ who }) => !(who in undeleted))
}
