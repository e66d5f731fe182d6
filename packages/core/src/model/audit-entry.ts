/** One thing somebody did, kept for good. Never a secret, never a personal value. */
export interface AuditEntry {
  readonly id: string
  readonly createdAt: string
  /** A client's id, `root`, `host` for calls inside the process, `system` for what the service does, or `subject`. */
  readonly actor: string
  /** A word for programs, such as `client_created`. */
  readonly action: string
  /** What it was done to, such as `client:ID` or `privacy-request:ID`. */
  readonly subject: string
  readonly detail: Readonly<Record<string, string | readonly string[]>>
}
