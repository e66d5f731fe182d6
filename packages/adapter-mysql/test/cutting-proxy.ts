import { type LineReader, cuttingProxy as proxyOf } from '../../core/test/erasure/cutting-proxy.js'

/** Each command is its code, and its words. */
export const cuttingProxy = (url: string) => proxyOf(url, lineReader)

const [prepare, execute] = [22, 23]

function lineReader(): LineReader {
  /** The statements of this line, by the numbers that the server gives them. */
  const prepared = new Map<number, string>()
  let left = 0
  return (bytes) => {
    // what begins with number 0 is a command; the login goes on with other numbers, and a long command in other pieces
    const begins = left === 0
    left = Math.max(0, (begins ? 4 + bytes.readUIntLE(0, 3) : left) - bytes.length)
    if (!begins || bytes.length <= 4 || bytes[3] !== 0) return [{ bytes }]
    const text = bytes[4] === execute ? prepared.get(bytes.readUInt32LE(5)) : bytes.toString('latin1', 5)
    const answered = (answer: Buffer) => void prepared.set(answer.readUInt32LE(5), text ?? '')
    return [{ bytes, command: `${bytes[4]} ${text}`, ...(bytes[4] === prepare && { answered }) }]
  }
}
