import { readFileSync } from 'node:fs'
import type { Identity } from '@habeas/core'
import type { Answers } from './answered.js'

/** A database as teams have them, with the truth about whose its rows are and what its team answers after drafting. */
export interface SampleSchema {
  readonly name: string
  /** Tables and rows. */
  readonly sql: string
  /** Everybody in it who can be asked for: customers, staff, couriers, guests. */
  readonly people: readonly Person[]
  /** Whose the rows are, by table. */
  readonly truth: Readonly<Record<string, Truth>>
  /** Tables and views in which no row is anybody's. */
  readonly nobodys: readonly string[]
  readonly answers: Answers
  /** Why a person is asked more than one question for two tables. */
  readonly overLimit?: string
  /** Tables whose rows go when a person is deleted; those of the others are masked. */
  readonly deletes: readonly string[]
}

export interface Person {
  /** What the queries of the truth know the person by. */
  readonly who: string
  /** What a request says of the person. Default: `who` is the e-mail address. */
  readonly identities?: readonly Identity[]
  /** Which rows of others a deletion of the person's would take along: it has to be refused. */
  readonly carries?: string
}

/** Queries that give the primary keys of a person's rows; `$1` is who the person is. */
export interface Truth {
  /** Rows of nobody else: delivered and erased. */
  readonly own?: string
  /** Rows of somebody else's as well: delivered, and kept by an erasure. */
  readonly shared?: string
  /** Rows of which the answers leave open whose they are: named instead of delivered and erased. */
  readonly undecided?: {
    readonly rows: string
    readonly reason: string
    /** The fields that lead to whom it may be: an erasure is told to leave what they name. */
    readonly by: readonly string[]
  }
}

/** The SQL that stands beside the file of a schema. */
export function sqlOf(name: string): string {
  return readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
}

export function identitiesOf({ who, identities = [{ email: who }] }: Person): readonly Identity[] {
  return identities
}
