export interface CallOptions {
  readonly signal?: AbortSignal
}

/** Keeps the writes of a worker from taking effect once another worker has taken its erasure over. */
export interface Fence {
  /** The same for every worker that may carry out the erasure. At most 64 characters of ASCII. */
  readonly lock: string
  /** Asks whether the worker still carries it out. Rejects when it does not, or when that cannot be asked. */
  confirm(): Promise<void>
  /**
   * For how many milliseconds no other worker takes the erasure over. A server that cannot be fenced SHOULD be told to end a
   * write by then.
   */
  leftMs?(): number
}

export interface EraseOptions {
  /** Tries everything and takes it back. */
  readonly rollBack?: boolean
  readonly fence?: Fence
  /**
   * Takes the number of rows that the batch has touched, once it has taken effect. A connector MUST call it where the
   * server may change more in a row than it was told to, as triggers do: a row whose key changes with the write is not
   * found again, and only this number tells it from a row that was gone before.
   */
  readonly touched?: (rows: number) => void
}
