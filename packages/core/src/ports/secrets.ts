/**
 * Seals what the storage must not reveal: connection secrets, secrets of webhooks, identities of legal holds, the data keys
 * of privacy requests and the keys of the service. All of them are short. A key server that is away MAY make each call
 * reject with `unavailable`: it is then asked again later.
 */
export interface Secrets {
  /** MUST bind `context` as associated data, and MUST give different bytes each time. */
  seal(plaintext: Uint8Array, context: string): Promise<Uint8Array>
  /**
   * MUST reject with `internal`, revealing nothing of the content, when a byte was changed, when `context` differs from
   * the one it was sealed with, or when the key it was sealed under is gone. MUST open whatever any key of the ring
   * sealed.
   */
  open(sealed: Uint8Array, context: string): Promise<Uint8Array>
  /**
   * MAY be left out: a rotation then seals everything anew, each time. Whether `sealed` lies under the key that seals now.
   * MUST be true of what the last `seal` gave, and false of what another key of the ring has sealed and of bytes in another
   * form.
   */
  isCurrent?(sealed: Uint8Array): Promise<boolean>
}
