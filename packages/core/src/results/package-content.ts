/** Rows of one collection as the run spooled them: JSON texts, parted by a comma and a line break. */
export interface PackageSection {
  /** `dataset:collection`. */
  readonly address: string
  readonly rowCount: number
  /** Every call reads from the first row on: a table needs its columns before its first row. */
  readonly rows: () => AsyncIterable<Uint8Array>
}

/** What a person uploaded for a manual webhook. It goes into the package as it is, whatever a policy asks for. */
export interface ManualUpload {
  /** The key of the webhook's connection. */
  readonly webhook: string
  /** What to call it where people read; its key when left out. */
  readonly name?: string
  /** The label of each field, as its definition words it, and a JSON scalar or a list of them. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface NotSearched {
  readonly collection: string
  readonly reason: string
}

/** What every format of a package is written from. Nothing in it is read before it is written. */
export interface PackageContent {
  readonly sections: readonly PackageSection[]
  readonly manual: readonly ManualUpload[]
  readonly notSearched: readonly NotSearched[]
}

/** Sections that hold something: a collection without rows is left out. */
export function filledSections({ sections }: PackageContent): readonly PackageSection[] {
  return sections.filter(({ rowCount }) => rowCount > 0)
}
