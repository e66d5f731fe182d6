/** Seals what the storage must not reveal: connection secrets and the data keys of privacy requests. */
export interface Secrets {
  /** MUST bind `context` as associated data, and MUST give different bytes each time. */
  seal(plaintext: Uint8Array, context: string): Promise<Uint8Array>
  /**
   * MUST reject with `internal`, revealing nothing of the content, when a byte was changed, when `context` differs from
   * the one it was sealed with, or when the key it was sealed under is gone. MUST open whatever any key of the ring
   * sealed.
   */
  open(sealed: Uint8Array, context: string): Promise<Uint8Array>
}
