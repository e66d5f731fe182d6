const lineBreak = 0x0a

/**
 * The JSON text of each row of a spool, as many at a time as have arrived. A comma and a line break separate rows. JSON
 * without indentation holds no line break, so the ends of rows are found without parsing.
 */
export async function* rowTexts(spool: AsyncIterable<Uint8Array>): AsyncIterable<readonly string[]> {
  let begun: Uint8Array[] = []
  for await (const part of spool) {
    const end = part.lastIndexOf(lineBreak)
    if (end === -1) {
      begun.push(part)
      continue
    }
    const whole = joined([...begun, part.subarray(0, end)])
    begun = [part.subarray(end + 1)]
    yield whole.slice(0, -1).split(',\n')
  }
  const last = joined(begun)
  if (last !== '') yield [last]
}

function joined(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString()
}
