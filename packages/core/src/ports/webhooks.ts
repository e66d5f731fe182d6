/** One call of a webhook: a POST of JSON. */
export interface WebhookCall {
  readonly url: string
  /** Headers besides those that JSON over HTTP needs. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** False: the caller does not read the answer, so that it need not be received. */
  readonly readAnswer: boolean
}

export interface WebhookAnswer {
  readonly status: number
  /** The body as it came; empty where it is not read. */
  readonly body: string
}

/** Calls webhooks over HTTP. The bodies are personal data, and the URLs come from clients of the service. */
export interface WebhookSender {
  /** Why a URL cannot be used, whatever answers there, such as `must begin with https://`. MUST NOT ask the network. */
  refusal(url: string): string | undefined
  /**
   * MUST NOT follow redirects. MUST give up in bounded time and on an answer that is too large. MUST refuse private
   * addresses unless it was told otherwise, and connect to the very address it has checked. MUST reject with
   * `connection_failed`, saying what to fix; `reason` `refused_address` means that trying again is of no use.
   */
  send(call: WebhookCall, options?: { readonly signal?: AbortSignal }): Promise<WebhookAnswer>
}
