import { promises, Readable } from 'node:stream'
import { ZipFile } from 'yazl'

/** A file of an archive; its bytes are read once, when its turn has come. */
export interface ArchivedFile {
  /** Path inside the archive, with forward slashes. */
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

type Files = AsyncIterable<ArchivedFile> | Iterable<ArchivedFile>

/** Size of the pieces for the compressor: each piece travels to another thread and back. */
const chunkBytes = 64 * 1024

/**
 * A zip archive as a stream. The next file is requested when the previous one was read to its end, so that files may be
 * cut from one stream. Rejects with the error of a file; a reader that stops early ends the file that is being read.
 */
export async function* zip(files: Files, modifiedAt: Date): AsyncIterable<Uint8Array> {
  const archive = new ZipFile()
  const output = archive.outputStream as Readable
  const stop = new AbortController()
  archive.on('error', (error: Error) => output.destroy(error))
  const added = addFiles(archive, files, modifiedAt, stop.signal).catch((error: Error) => void output.destroy(error))
  try {
    yield* output
  } finally {
    stop.abort()
    await added
  }
}

async function addFiles(archive: ZipFile, files: Files, mtime: Date, signal: AbortSignal): Promise<void> {
  let reading: Readable
  // The archive keeps this for every file to its end. Buffers that were read must not be kept with it.
  const current = (give: (error: unknown, stream: Readable) => void) => give(undefined, reading)
  for await (const { name, bytes } of files) {
    if (signal.aborted) return
    reading = Readable.from(chunked(bytes), { signal })
    archive.addReadStreamLazy(name, { mtime }, current)
    await promises.finished(reading)
  }
  archive.end()
}

async function* chunked(bytes: ArchivedFile['bytes']): AsyncIterable<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const part of bytes) {
    waiting.push(part)
    size += part.length
    if (size < chunkBytes) continue
    yield joined(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield joined(waiting)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
}
