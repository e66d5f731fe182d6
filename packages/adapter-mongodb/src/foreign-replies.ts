/** Each message of the protocol begins with a header of this many bytes, which is part of its length. */
const headerBytes = 16
/** Where a reply of the oldest kind, as a greeting is answered with, says how many documents it holds. */
const documentsAt = 16

interface Buffers {
  getInt32(): number | null
}

interface Reply {
  readonly data: Uint8Array
  parse(): unknown
}

type Class<Instance> = { readonly prototype: Instance }

let patched: Promise<void> | undefined

/**
 * Makes the driver end a connection with what is no MongoDB. It believes any length and any count: it reads messages of no length,
 * and documents of none, until the process has no memory left. A wrong port was enough, since the greeting of MariaDB looks like a
 * reply of a billion documents. `mongodb` 7.9 is the newest version and has no option for it.
 */
export function refuseForeignReplies(): Promise<void> {
  // A later driver may have moved these functions. The tests then fail here, and the adapter still connects elsewhere.
  patched ??= patch().catch(() => {})
  return patched
}

async function patch(): Promise<void> {
  // @ts-expect-error the driver declares nothing of its inner files
  const { BufferPool } = (await import('mongodb/lib/utils.js')) as { BufferPool: Class<Buffers> }
  // @ts-expect-error the same
  const { OpReply } = (await import('mongodb/lib/cmap/commands.js')) as { OpReply: Class<Reply> }
  const { getInt32 } = BufferPool.prototype
  BufferPool.prototype.getInt32 = function (this: Buffers) {
    const length = getInt32.call(this)
    // it ends the connection at a negative length
    return length !== null && length < headerBytes ? -1 : length
  }
  const { parse } = OpReply.prototype
  OpReply.prototype.parse = function (this: Reply) {
    // the driver asks for one document, and reads no other
    const { buffer, byteOffset, byteLength } = this.data
    if (byteLength < documentsAt + 4 || new DataView(buffer, byteOffset).getInt32(documentsAt, true) > 1)
      throw new RangeError('This is no reply of MongoDB')
    return parse.call(this)
  }
}
