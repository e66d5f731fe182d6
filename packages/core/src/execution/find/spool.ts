import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { decryptStream, encryptStream } from '../../crypto/encrypt-stream.js'
import type { Blobs } from '../../ports/blobs.js'
import type { Runtime } from '../../ports/runtime.js'

/** Text that a run has written: in memory while it is small, otherwise an encrypted blob. */
export interface Spooled {
  readonly rows: number
  /** The key of the blob. Absent while the text is in memory. */
  readonly key?: string
  readonly held?: readonly Buffer[]
}

export interface Spool {
  /** Adds the text of one row. */
  append(text: string): void
  /** True when `drain` should be awaited before more is appended. */
  readonly full: boolean
  drain(): Promise<void>
  close(): Promise<Spooled>
  /** Drops everything that was written so far. */
  discard(): void
}

export interface SpoolRoom {
  /** Whether a blob exists. */
  has(key: string): Promise<boolean>
  /** True once the room has written a blob. */
  readonly wrote: boolean
  open(key: string): Spool
  /** Writes a blob under the room's data key. */
  write(key: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
  /** Plain bytes of a spool. A comma and a line break separate rows. */
  read(spooled: Spooled): AsyncIterable<Uint8Array>
  /** Plain bytes of a blob that `write` stored, without the first `from` bytes. */
  readBlob(key: string, from?: number): AsyncIterable<Uint8Array>
  /** Writes a spool that is held in memory as a blob. */
  persist(key: string, spooled: Spooled): Promise<Spooled>
}

/** How much one spool holds before it becomes a blob, and how much all spools of a run hold together. */
const spoolBytes = 512 * 1024
const roomBytes = 8 * 1024 * 1024
/** A spool of this size stays in memory as well when it is written as a blob, since most are read soon after. */
const keptBytes = 256 * 1024
/** Text is encoded in chunks, because long texts of many pieces are slow to encode. */
const chunkCharacters = 16 * 1024
/** How much is written to a blob at once. */
const drainBytes = 256 * 1024

/** The spools and blobs of one run. Nothing leaves memory unencrypted. */
export function spoolRoom(options: { blobs: Blobs; runtime: Runtime; dataKey: Uint8Array }): SpoolRoom {
  const { blobs, runtime, dataKey } = options
  let heldBytes = 0
  let wrote = false
  const kept = new WeakMap<Spooled, readonly Buffer[]>()
  const room: SpoolRoom = {
    get wrote() {
      return wrote
    },
    has: async (key) => (await blobs.size(key)) !== undefined,
    open: (key) => openSpool(key),
    write(key, bytes) {
      wrote = true
      return blobs.write(key, encryptStream(dataKey, runtime.randomBytes(16), key, bytes))
    },
    async *read(spooled) {
      const held = spooled.held ?? kept.get(spooled)
      if (held || spooled.key === undefined) yield* held ?? []
      else yield* room.readBlob(spooled.key)
    },
    readBlob: (key, from) => decryptStream(dataKey, key, blobs.read(key), from),
    async persist(key, spooled) {
      if (spooled.key !== undefined || spooled.rows === 0) return spooled
      await room.write(key, spooled.held ?? [])
      const persisted = { rows: spooled.rows, key }
      const bytes = (spooled.held ?? []).reduce((sum, part) => sum + part.length, 0)
      if (spooled.held && bytes <= keptBytes && heldBytes <= roomBytes / 2) kept.set(persisted, spooled.held)
      else heldBytes -= bytes
      return persisted
    },
  }
  return room

  function openSpool(key: string): Spool {
    let rows = 0
    let text = ''
    let parts: Buffer[] = []
    let bytes = 0
    let writing: { readonly to: PassThrough; readonly done: Promise<void> } | undefined
    const cut = () => {
      if (text === '') return
      const part = Buffer.from(text)
      text = ''
      parts.push(part)
      bytes += part.length
      heldBytes += part.length
    }
    const overflow = async () => {
      if (!writing) {
        const to = new PassThrough()
        const done = room.write(key, to)
        // The next append rejects with the error of the write.
        done.catch((error) => to.on('error', () => {}).destroy(error))
        writing = { to, done }
      }
      const ready = parts
      parts = []
      heldBytes -= bytes
      bytes = 0
      for (const part of ready)
        if (!writing.to.write(part)) await Promise.race([once(writing.to, 'drain'), writing.done])
    }
    return {
      append(row) {
        text += rows++ === 0 ? row : `,\n${row}`
        if (text.length >= chunkCharacters) cut()
      },
      get full() {
        return bytes > (writing ? drainBytes : spoolBytes) || (bytes > 0 && heldBytes > roomBytes)
      },
      drain: overflow,
      async close() {
        cut()
        if (!writing && heldBytes <= roomBytes) return { rows, held: parts }
        await overflow()
        writing?.to.end()
        await writing?.done
        return { rows, key }
      },
      discard() {
        heldBytes -= bytes
        parts = []
        bytes = 0
        text = ''
        writing?.to.on('error', () => {}).destroy(new Error('The spool was discarded.'))
      },
    }
  }
}
