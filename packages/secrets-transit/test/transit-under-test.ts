/** A server with a transit engine, real or a double, and what an operator does to it. */
export interface TransitUnderTest {
  readonly address: string
  /** It may do everything. */
  readonly token: string
  /** Returns the name of a new key. */
  makeKey(type?: string): Promise<string>
  /** Returns the name of another key with the same versions. */
  copyKey(key: string): Promise<string>
  /** Makes the key's next version. */
  rotate(key: string): Promise<void>
  /** Versions before this one no longer decrypt. */
  retire(key: string, before: number): Promise<void>
  /** Returns a token with a policy of these lines. */
  tokenWith(policy: string): Promise<string>
  /** Seals the server. Absent where others use it. */
  readonly seal?: () => Promise<void>
  /** Absent with it. */
  readonly unseal?: () => Promise<void>
}
