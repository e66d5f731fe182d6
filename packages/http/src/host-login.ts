/** The rights of a caller whom the host has logged in. */
export interface HostLogin {
  readonly scopes: readonly string[]
  /** For the audit trail, such as the id of a user: `host:` stands before it. */
  readonly name?: string | undefined
}

/** What `authorize` answers: a login, or only its scopes. Undefined: the call needs an access token. */
export type Authorized = HostLogin | readonly string[] | undefined
