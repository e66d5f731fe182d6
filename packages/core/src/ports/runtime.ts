/** The clock and the random sources, which a pure function must not use by itself. Tests replace them by fakes. */
export interface Runtime {
  now(): Date
  /** MUST be unique and increase over time (UUIDv7), so that ids sort by age. */
  newId(): string
  /** MUST come from a cryptographic source. */
  randomBytes(length: number): Uint8Array
}
