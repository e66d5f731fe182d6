import type { CallerOptions, ClientCredentials } from '../actions/access/client-actions.js'
import type { Credentials, IssuedToken, TokenDescription } from '../actions/access/token-actions.js'
import type { ListOptions, Page } from '../actions/paging.js'
import type { Client, ClientInput, ClientScopesInput } from '../model/client.js'

/** OAuth clients. The root client is none of them: it stands in the options. */
export interface Clients {
  /**
   * Creates a client and answers its secret, once. Takes a list of scopes, or an object. Rejects with `forbidden`, naming the scope, where the caller may not hand
   * one out.
   */
  create(input: ClientInput, by?: CallerOptions): Promise<Client & ClientCredentials>
  /** Rejects with `not_found` where there is none. */
  get(clientId: string): Promise<Client>
  /** One page, sorted by id. */
  list(options?: ListOptions): Promise<Page<Client>>
  /** Replaces the scopes; tokens that say more count for less from the next call on. Rejects as `create` does. */
  setScopes(clientId: string, input: ClientScopesInput, by?: CallerOptions): Promise<Client>
  /**
   * Makes a new secret and answers it, once; the old one and the tokens issued for it end. Rejects with `forbidden` where the
   * client may do more than the caller may hand out.
   */
  rotateSecret(clientId: string, by?: CallerOptions): Promise<ClientCredentials>
  /** Deletes a client; its tokens end with the next call. Rejects with `not_found`. */
  remove(clientId: string, by?: CallerOptions): Promise<void>
}

/** Access tokens of clients (RFC 6749). */
export interface Tokens {
  /**
   * A token for a client that knows its secret. `scope`, a list with blanks between, narrows it. Rejects with
   * `unauthenticated`, after too many failures with `rate_limited`, and with `invalid_input` for a scope it cannot have.
   */
  issue(credentials: Credentials, options?: { readonly scope?: string | undefined }): Promise<IssuedToken>
  /**
   * Who a bearer token stands for and what it permits now: its own scopes, less those its client has lost. Rejects with
   * `token_expired`, and with `unauthenticated` for one that is malformed, revoked or of a client that is gone.
   */
  verify(token: string): Promise<TokenDescription>
  /** Ends a token before its time (RFC 7009): a client its own, one that may change clients any. Unknown ones are ignored. */
  revoke(token: string, credentials: Credentials): Promise<void>
  /**
   * What a token is worth (RFC 7662): a client may ask about its own, one that may read clients about any. Otherwise
   * undefined.
   */
  introspect(token: string, credentials: Credentials): Promise<TokenDescription | undefined>
}
