/** The next attempt of a request, which failed because of something that may pass by itself. */
export interface RequestRetry {
  /** The first of the failures in a row. */
  readonly since: string
  /** How many failures in a row there were. */
  readonly attempts: number
  /** How many of them were rows that somebody changed while they were erased. Absent: none. */
  readonly changed?: number
  /** No attempt is made before this time. */
  readonly at: string
  /** One sentence for people: why the last attempt failed. */
  readonly reason: string
}

/** Runs in a row that ended without a word while they worked on the same collections, as by a kill. */
export interface SilentEnds {
  readonly count: number
  readonly at: readonly string[]
  /** When the first of them was noticed. An older version does not say it. */
  readonly since?: string
}
