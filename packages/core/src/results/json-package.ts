/** One collection of a package; `rows` are JSON texts parted by commas, at least one. */
export interface PackageSection {
  readonly address: string
  readonly rows: AsyncIterable<Uint8Array>
}

export interface NotSearched {
  readonly collection: string
  readonly reason: string
}

/**
 * Writes a package as one JSON object: `dataset:collection` → rows (§7.9). What was not searched is listed under
 * `not_searched`, which no collection can be called, and left out when there is nothing to list.
 */
export async function* jsonPackage(
  sections: Iterable<PackageSection>,
  notSearched: readonly NotSearched[],
): AsyncIterable<Uint8Array> {
  let separator = '{\n'
  for (const { address, rows } of sections) {
    yield Buffer.from(`${separator}${JSON.stringify(address)}: [\n`)
    yield* rows
    yield Buffer.from('\n]')
    separator = ',\n'
  }
  if (notSearched.length > 0) {
    yield Buffer.from(`${separator}"not_searched": ${JSON.stringify(notSearched, undefined, 1)}`)
    separator = ',\n'
  }
  yield Buffer.from(separator === '{\n' ? '{}\n' : '\n}\n')
}
