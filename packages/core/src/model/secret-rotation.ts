/** What a rotation did. `resealed`, `alreadyCurrent` and `unreadable` add up to the totals. */
export interface SecretRotation {
  /** How many values were sealed anew. Once it is 0, and `unreadable` too, no other key of the ring is needed. */
  readonly resealed: number
  /** How many lay under the current key before. Always 0 where the port cannot tell. */
  readonly alreadyCurrent: number
  /** How many no key of the ring opens. They stay as they are. */
  readonly unreadable: number
  /** The first hundred of those, such as `connection:shop` or `privacy-request:ID`. */
  readonly unreadableNames: readonly string[]
  /** How many values there are of each kind. */
  readonly total: {
    readonly connectionSecrets: number
    readonly webhookSecrets: number
    readonly legalHolds: number
    readonly requestKeys: number
    readonly serviceKeys: number
  }
}
