/** Bytes too large for a row: spooled rows of a run, finished packages. Keys are `/`-separated names. */
export interface Blobs {
  /** MUST be false when the blobs end with the process. */
  readonly outlivesProcess?: boolean
  /**
   * MUST make the blob readable only when all bytes are stored; it then replaces what the key held. When `bytes`
   * rejects, the old content (or nothing) MUST remain. MUST NOT hold more than a few chunks in memory, unless memory is
   * the medium.
   */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** MUST reject with `not_found` when the key is unknown. `from` skips that many bytes. */
  read(key: string, options?: { readonly from?: number }): AsyncIterable<Uint8Array>
  /** Returns the number of bytes stored, or undefined when the key is unknown. */
  size(key: string): Promise<number | undefined>
  /** Removes every blob whose key is `prefix` or begins with `prefix/`. MUST NOT fail when there is none. */
  delete(prefix: string): Promise<void>
}
