/** One thing somebody did, kept for good. Never a secret, never a personal value. */
export interface AuditEntry {
  readonly id: string
  readonly createdAt: string
  /** A client's id, `root`, or `host` for calls inside the process. */
  readonly actor: string
  /** A word for programs, such as `client_created`. */
  readonly action: string
  /** What it was done to, such as `client:ID`. */
  readonly subject: string
  readonly detail: Readonly<Record<string, string | readonly string[]>>
}
