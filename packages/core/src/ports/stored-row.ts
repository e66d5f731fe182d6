export interface StoredRow {
  readonly id: string
  /** 1 when inserted; each `replace` writes the next number. */
  readonly version: number
}
