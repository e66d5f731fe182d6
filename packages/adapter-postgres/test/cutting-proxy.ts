import { type LineReader, cuttingProxy as proxyOf } from '../../core/test/erasure/cutting-proxy.js'

/** The commands are what a client sends for a server to carry out at once. Statements that are sent together are one. */
export const cuttingProxy = (url: string) => proxyOf(url, lineReader)

function lineReader(): LineReader {
  let held = Buffer.alloc(0)
  let begun = false
  return (data) => {
    held = Buffer.concat([held, data])
    const parts = []
    for (let end = endOf(held, begun); end !== undefined; end = endOf(held, begun)) {
      const bytes = held.subarray(0, end)
      held = held.subarray(end)
      const statements = begun ? statementsIn(bytes) : []
      begun ||= bytes.readInt32BE(4) >> 16 === 3
      parts.push({ bytes, ...(statements.length > 0 && { command: statements.join('; ') }) })
    }
    return parts
  }
}

/** Where the first part of the bytes ends that a server carries out at once. Undefined where some of it is still to come. */
function endOf(bytes: Buffer, begun: boolean): number | undefined {
  if (!begun) return bytes.length >= 4 && bytes.length >= bytes.readInt32BE(0) ? bytes.readInt32BE(0) : undefined
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (end > bytes.length) return undefined
    // Parse, Bind, Describe, Execute and Close wait for what follows; all else does not
    if (!'PBDEC'.includes(String.fromCharCode(bytes[at]!))) return end
    at = end
  }
  return undefined
}

/** The statements that are sent, or `fetch` for more rows of an earlier one. */
function statementsIn(bytes: Buffer): string[] {
  const found: string[] = []
  let fetches = false
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const type = String.fromCharCode(bytes[at]!)
    fetches ||= type === 'E'
    if (type !== 'Q' && type !== 'P') continue
    const from = type === 'Q' ? at + 5 : bytes.indexOf(0, at + 5) + 1
    found.push(bytes.toString('utf8', from, bytes.indexOf(0, from)).slice(0, 60))
  }
  return found.length === 0 && fetches ? ['fetch'] : found
}
