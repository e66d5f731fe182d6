/** One call of a webhook: a POST of JSON. */
export interface WebhookCall {
  readonly url: string
  /** Headers besides those that JSON over HTTP needs. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** False when the caller does not read the answer, so that it need not be received. */
  readonly readAnswer: boolean
}

export interface WebhookAnswer {
  readonly status: number
  /** The body as it came; empty where it is not read. */
  readonly body: string
}

/** Calls webhooks over HTTP. The bodies are personal data, and the URLs come from clients of the service. */
export interface WebhookSender {
  /** Returns why a URL can never be used, such as `must begin with https://`, or undefined. MUST NOT ask the network. */
  refusal(url: string): string | undefined
  /**
   * MUST NOT follow redirects. MUST give up in bounded time and on an answer that is too large. MUST refuse private
   * addresses unless they are allowed, and connect to exactly the address that it has checked. MUST reject with
   * `connection_failed` and say what to correct. `reason` `refused_address` means that it is useless to try again.
   */
  send(call: WebhookCall, options?: { readonly signal?: AbortSignal }): Promise<WebhookAnswer>
}
