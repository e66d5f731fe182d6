/** An answer of the REST API that is an error, in its form. */
export class RestError extends Error {
  readonly status: number
  readonly reason: string

  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }

  get body() {
    const { status: code, reason, message } = this
    return { error: { code, message, errors: [{ domain: 'global', reason, message }] } }
  }
}

/** A call of the REST API; rejects with a `RestError`. */
export type Rest = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>

/** Calls of the REST API at an address that ends with the version of the API. */
export function restOf(address: string): Rest {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = text === '' ? {} : JSON.parse(text)
    if (!response.ok) {
      const { message = text, errors: [first] = [] } = answer.error ?? {}
      throw new RestError(response.status, first?.reason ?? 'backendError', message)
    }
    return answer as Answer
  }
}
