import type { CallerOptions, ClientCredentials } from '../actions/access/client-actions.js'
import type { Credentials, IssuedToken, TokenDescription } from '../actions/access/token-actions.js'
import type { ListOptions, Page } from '../actions/paging.js'
import type { Client, ClientInput, ClientScopesInput } from '../model/client.js'

/** OAuth clients. The root client is not one of them: the options of the service define it. */
export interface Clients {
  /**
   * Creates a client and returns its secret, once. Takes a list of scopes, or an object. Rejects with `forbidden`,
   * naming the scope, where the caller may not grant one.
   */
  create(input: ClientInput, by?: CallerOptions): Promise<Client & ClientCredentials>
  /** Rejects with `not_found` for an unknown id. */
  get(clientId: string): Promise<Client>
  /** One page, sorted by id. */
  list(options?: ListOptions): Promise<Page<Client>>
  /** Replaces the scopes. Tokens with more scopes lose them with the next call. Rejects as `create` does. */
  setScopes(clientId: string, input: ClientScopesInput, by?: CallerOptions): Promise<Client>
  /**
   * Makes a new secret and returns it, once; the old secret and the tokens issued for it end. Rejects with `forbidden`
   * where the client has a scope that the caller may not grant.
   */
  rotateSecret(clientId: string, by?: CallerOptions): Promise<ClientCredentials>
  /** Deletes a client; its tokens end with the next call. Rejects with `not_found`. */
  remove(clientId: string, by?: CallerOptions): Promise<void>
}

/** Access tokens of clients (RFC 6749). */
export interface Tokens {
  /**
   * A token for a client that knows its secret. `scope`, a list separated by blanks, narrows it. Rejects with
   * `unauthenticated`, after too many failures with `rate_limited`, and with `invalid_input` for a scope the client
   * cannot have.
   */
  issue(credentials: Credentials, options?: { readonly scope?: string | undefined }): Promise<IssuedToken>
  /**
   * The client of a bearer token and what the token permits now: its own scopes, less those the client has lost.
   * Rejects with `token_expired`, and with `unauthenticated` for a token that is malformed, revoked or of a deleted
   * client.
   */
  verify(token: string): Promise<TokenDescription>
  /**
   * Ends a token before its time (RFC 7009). A client may end its own tokens; a client that may change clients may end
   * any. Unknown tokens are ignored.
   */
  revoke(token: string, credentials: Credentials): Promise<void>
  /**
   * What a token permits (RFC 7662). A client may ask about its own tokens; a client that may read clients may ask
   * about any. Otherwise undefined.
   */
  introspect(token: string, credentials: Credentials): Promise<TokenDescription | undefined>
}
