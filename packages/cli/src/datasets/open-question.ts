import type { Dataset } from '@habeas/core'

/** Something that is open, and the answers to it. */
export interface OpenQuestion {
  /** `dataset:collection.field`, and `@` with the collection it refers to where several are open. */
  readonly name: string
  readonly why: string
  readonly answers: readonly NamedAnswer[]
  /** The name of the answer that drafting proposes. */
  readonly preset?: string
  /** The id of a proposal that asks the same. */
  readonly proposal?: string
}

export interface NamedAnswer {
  /** `from`, `reviewed`, `owner=customer_id`. Words in capitals stand for what a person gives: see `asks`. */
  readonly name: string
  readonly means: string
  /** The words of the name in place of which a person says something, and what that is. */
  readonly asks?: Readonly<Record<string, string>>
  /** The place of a field that is left out. `habeas check` asks for the reason. */
  readonly leavesOut?: string
  /** `given`: what a person says in place of each word that is asked for. */
  write(dataset: Dataset, given?: Readonly<Record<string, string>>): Dataset
}
