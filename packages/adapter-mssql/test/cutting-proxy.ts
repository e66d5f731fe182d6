import { type LineReader, cuttingProxy as proxyOf } from '../../core/test/erasure/cutting-proxy.js'
import { batchOf, callOf } from './double/tds-requests.js'

/** Before a server without encryption. The commands are batches and calls, with their words; the login is neither. */
export const cuttingProxy = (url: string) => proxyOf(url, lineReader)

function lineReader(): LineReader {
  let received = Buffer.alloc(0)
  let parts: Buffer[] = []
  /** Packets of a message that has not ended yet. They wait for its words. */
  let held: Buffer[] = []
  return (data) => {
    received = Buffer.concat([received, data])
    const sent: { bytes: Buffer; command?: string }[] = []
    while (received.length >= 8 && received.length >= received.readUInt16BE(2)) {
      const packet = received.subarray(0, received.readUInt16BE(2))
      received = received.subarray(packet.length)
      held.push(packet)
      parts.push(packet.subarray(8))
      if (((packet[1] as number) & 1) === 0) continue
      const [bytes, message] = [Buffer.concat(held), Buffer.concat(parts)]
      const asked = packet[0] === 1 ? batchOf(message) : packet[0] === 3 ? callOf(message) : undefined
      sent.push({ bytes, ...(asked && { command: asked.sql }) })
      held = []
      parts = []
    }
    return sent
  }
}
