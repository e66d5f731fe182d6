import type { Page } from '../actions/paging.js'
import type { LegalHoldListOptions } from '../actions/proof/legal-hold-actions.js'
import type { RequestCaller } from '../actions/requests/request-context.js'
import type { Identity } from '../model/identity.js'
import type { LegalHold, LegalHoldInput } from '../model/legal-hold.js'

/** People whose data must not be erased for now. */
export interface LegalHolds {
  /**
   * Holds the data of every person whom one of the identities names. An erasure that shares a property and its value
   * with them waits: before its first write, or with what it has written so far. A batch that has not taken effect yet is
   * taken back. Rejects with `invalid_input`, also for an end in the past.
   */
  create(input: LegalHoldInput, by?: RequestCaller): Promise<LegalHold>
  /** One page, newest first. */
  list(options?: LegalHoldListOptions): Promise<Page<LegalHold>>
  /** Rejects with `not_found` for an unknown id. */
  get(id: string): Promise<LegalHold>
  /**
   * The identities that are held, for callers who may see personal data. Rejects with `gone` once the hold has ended.
   */
  identities(id: string): Promise<readonly Identity[]>
  /**
   * Ends a hold for good. Requests that waited for it alone continue. Exactly one of several callers succeeds; rejects
   * with `invalid_state` where the hold has ended already. The reason has at most 1,000 characters.
   */
  release(id: string, input?: { readonly reason?: string | null | undefined }, by?: RequestCaller): Promise<LegalHold>
}
