/** Returns the size of a row in bytes, roughly. It is asked for every row that is read. */
export function rowBytes(row: readonly unknown[]): number {
  let bytes = 8 * row.length
  for (let at = 0; at < row.length; at++) {
    const value = row[at]
    if (typeof value === 'string') bytes += value.length
    else if (typeof value === 'object' && value instanceof Uint8Array) bytes += value.length
  }
  return bytes
}
