/**
 * One thing somebody did, kept for good. Never a secret, never a personal value. The entries about one subject are a chain:
 * each carries the hash of the one before, so that none can be changed or taken out unnoticed.
 */
export interface AuditEntry {
  /** Subject and sequence. */
  readonly id: string
  /** From 1, without gaps, for each subject. */
  readonly sequence: number
  /** Null in the first entry about a subject. */
  readonly previousHash: string | null
  /** SHA-256, base64url, of all but the id and itself. */
  readonly hash: string
  readonly createdAt: string
  /** A client's id, `root`, `host` for calls inside the process, `system` for what the service does, or `subject`. */
  readonly actor: string
  /** A word for programs, such as `client_created`. */
  readonly action: string
  /** What it was done to, such as `client:ID` or `privacy-request:ID`. */
  readonly subject: string
  readonly detail: Readonly<Record<string, string | readonly string[]>>
}
