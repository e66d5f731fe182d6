import type { Authorized } from './host-login.js'

/** One call as a skin hands it in: a fetch `Request`, or what a framework has. */
export interface HttpCall {
  readonly method: string
  /** Below the mount, still encoded: `/api/v1/connection`. */
  readonly path: string
  /** With its question mark, or empty. */
  readonly search: string
  /** Where the interface is mounted, without a slash at the end: `https://example.com/privacy`. */
  readonly baseUrl: string
  /** By name in any case; several of one name are joined by commas. */
  header(name: string): string | undefined
  /** The bytes, what a body parser has made of them already, or nothing. */
  readonly body: CallBody
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
  /** Where the client calls from, for counting failed logins; only from a source that cannot be forged. */
  readonly address?: string | undefined
  /** Asks the host whether it has logged the caller in by itself, and with which scopes. */
  readonly login?: (() => Authorized | Promise<Authorized>) | undefined
}

export type CallBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: AsyncIterable<Uint8Array> }
  | { readonly kind: 'parsed'; readonly value: unknown }

export interface HttpAnswer {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes come as a stream, which is ended early when the client leaves. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>
}
