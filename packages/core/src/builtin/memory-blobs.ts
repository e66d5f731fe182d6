import { PrivacyError } from '../errors.js'
import type { Blobs } from '../ports/blobs.js'

const chunkBytes = 256 * 1024

/** Keeps blobs in the memory of this process until it ends. This is for tests and small trials. */
export const memoryBlobs = (): Blobs => {
  const blobs = new Map<string, Buffer>()
  return {
    outlivesProcess: false,
    async write(key, bytes) {
      const chunks: Buffer[] = []
      // The chunk is copied, because the caller may use its memory again for the next one.
      for await (const chunk of bytes) chunks.push(Buffer.from(chunk))
      blobs.set(key, Buffer.concat(chunks))
    },
    async *read(key, { from = 0 } = {}) {
      const blob = blobs.get(key)
      if (blob === undefined) throw new PrivacyError('not_found', `There is no blob ${key}`, { kind: 'blob', id: key })
      for (let start = from; start < blob.length; start += chunkBytes) {
        yield new Uint8Array(blob.subarray(start, start + chunkBytes))
      }
    },
    async size(key) {
      return blobs.get(key)?.length
    },
    async delete(prefix) {
      for (const key of blobs.keys()) if (key === prefix || key.startsWith(`${prefix}/`)) blobs.delete(key)
    },
  }
}
