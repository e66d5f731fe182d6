/** One call of a webhook: a POST of JSON. */
export interface WebhookCall {
  readonly url: string
  /** Beside those that JSON over HTTP needs. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** False: nobody reads the answer, so that it need not be received. */
  readonly readAnswer: boolean
}

export interface WebhookAnswer {
  readonly status: number
  /** As it came; empty where it is not read. */
  readonly body: string
}

/** Calls webhooks over HTTP. What they are told is personal, and where they lie is what a client of the service wrote. */
export interface WebhookSender {
  /** What is wrong with a URL whatever answers there, such as `must begin with https://`. MUST NOT ask the network. */
  refusal(url: string): string | undefined
  /**
   * MUST NOT follow redirects, and MUST give up in bounded time and on an answer that is too large.
   * MUST refuse private addresses unless it was told otherwise, and connect to the very address it has checked.
   * MUST reject with `connection_failed`, saying what to mend; `reason` `refused_address` means that trying again is of no use.
   */
  send(call: WebhookCall, options?: { readonly signal?: AbortSignal }): Promise<WebhookAnswer>
}
