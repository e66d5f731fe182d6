/**
 * One recorded action, kept for good. It holds no secret and no personal value. The entries about one subject are a
 * chain: each carries the hash of the one before, so a changed or missing entry shows.
 */
export interface AuditEntry {
  /** `subject` and `sequence` together. */
  readonly id: string
  /** From 1, without gaps, for each subject. */
  readonly sequence: number
  /** Null in the first entry about a subject. */
  readonly previousHash: string | null
  /** SHA-256, base64url, of all members except `id` and `hash`. */
  readonly hash: string
  readonly createdAt: string
  /**
   * A client's id, `root`, `host` for calls inside the process, `system` for actions of the service itself, or
   * `subject`.
   */
  readonly actor: string
  /** A word for programs, such as `client_created`. */
  readonly action: string
  /** The object of the action, such as `client:ID` or `privacy-request:ID`. */
  readonly subject: string
  readonly detail: Readonly<Record<string, string | readonly string[]>>
}
