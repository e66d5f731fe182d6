import type { CallBody, HttpCall } from './http-call.js'
import { httpError } from './problem.js'

/** A body has one iterator, so that the next reader starts where the last one stopped. */
const iterators = new WeakMap<AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array>>()

/** How much of a body is read only to be thrown away, and for how long. */
export const mostDrained = 64 * 1024 * 1024
const longestDrainSeconds = 30

/** The bytes of a body; throws `payload_too_large` as soon as there are more than `limit`, and leaves the rest unread. */
export async function readBytes(call: HttpCall, limit: number): Promise<Uint8Array> {
  const announced = Number(call.header('content-length') ?? 0)
  if (announced > limit) throw tooLarge(limit)
  if (call.body.kind !== 'bytes') return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of { [Symbol.asyncIterator]: unclosed(call.body.bytes) }) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}

/**
 * Throws away what is left of a body after its answer. A connection can carry another call only when the body of the one
 * before was read to its end. A body that does not end within the bounds is closed: the skin decides what that does.
 */
export async function drainBytes(body: CallBody): Promise<void> {
  if (body.kind !== 'bytes') return
  const pieces = piecesOf(body.bytes)
  const latest = Date.now() + longestDrainSeconds * 1_000
  try {
    for (let size = 0; size <= mostDrained && Date.now() <= latest; ) {
      const { done, value } = await pieces.next()
      if (done) return
      size += value.byteLength
    }
    await pieces.return?.()
  } catch {
    // The client has left. The answer does not depend on it.
  }
}

/** For loops that end early: they must not close the body, since the server could then not send the answer. */
function unclosed(bytes: AsyncIterable<Uint8Array>) {
  return () => ({ next: () => piecesOf(bytes).next() })
}

function piecesOf(bytes: AsyncIterable<Uint8Array>): AsyncIterator<Uint8Array> {
  const pieces = iterators.get(bytes) ?? bytes[Symbol.asyncIterator]()
  iterators.set(bytes, pieces)
  return pieces
}

function tooLarge(limit: number) {
  const megabytes = limit / 1024 / 1024
  const size = Number.isInteger(megabytes) ? `${megabytes} MiB` : `${limit} bytes`
  return httpError('payload_too_large', `The body is larger than ${size}: send less at once.`)
}
