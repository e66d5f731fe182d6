import type { Blobs } from '../../ports/blobs.js'

/** Returns blobs for a run that may lose its request. After that nothing is stored, read or deleted through them. */
export function fencedBlobs(blobs: Blobs, lost: AbortSignal): Blobs {
  async function* whileFenced(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of bytes) {
      lost.throwIfAborted()
      yield chunk
    }
    lost.throwIfAborted()
  }
  return {
    write: (key, bytes) => blobs.write(key, whileFenced(bytes)),
    read: (key, options) => whileFenced(blobs.read(key, options)),
    size: (key) => blobs.size(key),
    async delete(prefix) {
      lost.throwIfAborted()
      await blobs.delete(prefix)
    },
  }
}
