import type { ListOptions, Page } from '../actions/paging.js'
import type { Notices, Stored, Written } from '../actions/resources/resources.js'
import type { PatchOf } from '../model/input-of.js'

/** One kind of document, such as datasets, systems or policies. Each is kept under its key. */
export interface Resource<Input, Document, Noticed extends Notices = Notices> {
  /**
   * Creates a document. Rejects with `conflict` where its key is taken, and with `invalid_input` naming every bad
   * place.
   */
  create(input: Input): Promise<Written<Document, Noticed>>
  /** Creates or replaces a document. */
  put(input: Input): Promise<Written<Document, Noticed>>
  /** Replaces what exists. Rejects with `not_found` otherwise, and with `invalid_input` where the input names another key. */
  replace(key: string, input: Input): Promise<Written<Document, Noticed>>
  /**
   * Creates or changes a document (RFC 7396): members that are left out stay, null clears, lists are replaced as a
   * whole.
   */
  patch(input: PatchOf<Input>): Promise<Written<Document, Noticed>>
  /** Rejects with `not_found` for an unknown key. */
  get(key: string): Promise<Stored<Document>>
  /** One page, sorted by key. Rejects with `invalid_input` naming every bad option. */
  list(options?: ListOptions): Promise<Page<Stored<Document>>>
  /**
   * Deletes a document. Rejects with `conflict` naming everything that still refers to it, and for built-in documents.
   */
  remove(key: string): Promise<void>
}
