/** Whether a request is known to be large. A hint in the lane `small` comes before those in the lane `large`. */
export type Lane = 'small' | 'large'

export interface HintOptions {
  readonly notBefore?: Date
  /** Default: `small`. */
  readonly lane?: Lane
}

/** Carries hints that say 'look at this request now'. It stores no jobs: the request's row is the job. */
export interface Queue {
  /**
   * Sends a hint. It MAY arrive late, twice or never. It MUST NOT arrive before `notBefore`. Rejects, and SHOULD do so
   * within seconds, where the hint cannot be sent now.
   */
  send(requestId: string, options?: HintOptions): Promise<void>
  /**
   * Calls `handler` for each hint, at most `concurrency` at a time, until `signal` aborts; resolves when the last
   * call has ended. Of hints that wait here, those in the lane `small` MUST come first. A handler that rejects MUST NOT
   * end the listening nor lose other hints, and neither must a server that is away for a while.
   */
  listen(
    handler: (requestId: string) => Promise<void>,
    options: { readonly concurrency: number; readonly signal: AbortSignal },
  ): Promise<void>
  /**
   * Returns whether a hint in the lane `small` waits for a listener of this process. Large requests then make room sooner. Leave
   * it out where it is not known at once.
   */
  smallWaits?(): boolean
  /**
   * Rejects where hints cannot be sent now, or do not come to a listener of this process: `health()` asks. Leave it out
   * where hints stay in this process.
   */
  ping?(): Promise<void>
}
