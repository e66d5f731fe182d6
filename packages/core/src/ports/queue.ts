/** Carries hints that say 'look at this request now'. It stores no jobs: the request's row is the job. */
export interface Queue {
  /** Sends a hint. It MAY arrive late, twice or never. It MUST NOT arrive before `notBefore`. */
  send(requestId: string, options?: { readonly notBefore?: Date }): Promise<void>
  /**
   * Calls `handler` for each hint, at most `concurrency` at a time, until `signal` aborts; resolves when the last
   * call has ended. A handler that rejects MUST NOT end the listening nor lose other hints.
   */
  listen(
    handler: (requestId: string) => Promise<void>,
    options: { readonly concurrency: number; readonly signal: AbortSignal },
  ): Promise<void>
}
