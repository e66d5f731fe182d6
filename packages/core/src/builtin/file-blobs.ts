import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { PrivacyError } from '../errors.js'
import type { Blobs } from '../ports/blobs.js'
import { blobPath } from './blob-path.js'
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.js'

export interface FileBlobsOptions {
  /**
   * The directory of the files. It is created when missing. Default: a private temporary directory, which `close` removes,
   * or the process when it exits.
   */
  readonly directory?: string
  /**
   * Waits until the disk has the bytes (fsync) before a write is done. Default: true for a directory of yours, false
   * for the temporary one, which does not outlive the process anyway.
   */
  readonly durable?: boolean
}

export interface FileBlobs extends Blobs {
  /** Removes the temporary directory; a directory of yours stays as it is. Later calls reject with `unavailable`. */
  close(): Promise<void>
}

const chunkBytes = 512 * 1024
/** Holds files while they are written. The dot keeps it apart from every key, since names of keys have none. */
const unfinished = '.unfinished'
/** A file there that has not been touched for this long was left by a process that was killed. */
const abandonedAfterMilliseconds = 24 * 60 * 60 * 1000

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const whenThere = async <Result>(asked: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const makeDirectory = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/**
 * Creates one directory below an existing one. Node's own recursive way begins at the bottom, and makes two calls for
 * each directory it creates.
 */
const makeBelow = async (top: string, path: string): Promise<void> => {
  let made = top
  for (const name of relative(top, path).split(sep)) {
    made = join(made, name)
    try {
      await mkdir(made, { mode: 0o700 })
    } catch (error) {
      // Where a directory above was deleted meanwhile, or is something else, the path is created or refused as a whole.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return makeDirectory(path)
    }
  }
}

/** Makes names in a directory durable. Windows has no such call, and needs none. */
const syncDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const removeAbandoned = async (directory: string): Promise<void> => {
  const oldest = Date.now() - abandonedAfterMilliseconds
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    const found = await whenThere(stat(path))
    if (found !== undefined && found.mtimeMs < oldest) await rm(path, { force: true })
  }
}

const kept = (directory: string): TemporaryDirectory => ({ path: resolve(directory), remove: async () => {} })

const prepare = async (directory: string | undefined): Promise<TemporaryDirectory> => {
  const root = directory === undefined ? await temporaryDirectory() : kept(directory)
  await makeDirectory(join(root.path, unfinished))
  await removeAbandoned(join(root.path, unfinished))
  return root
}

/** The next bytes are made while those before are written. These are copied: their maker may use the memory again. */
const writeAll = async (file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
  let writing = Promise.resolve()
  try {
    for await (const chunk of bytes) {
      await writing
      writing = writeFile(file, Buffer.from(chunk))
      writing.catch(() => {})
    }
  } finally {
    await writing
  }
}

const fill = async (file: FileHandle, bytes: AsyncIterable<Uint8Array>, durable: boolean): Promise<void> => {
  try {
    await writeAll(file, bytes)
    if (durable) await file.sync()
  } finally {
    await file.close()
  }
}

const isFull = (error: unknown): boolean => /^(?:ENOSPC|EDQUOT)$/.test(String((error as { code?: unknown }).code))

const diskFull = (cause: unknown): PrivacyError => {
  const message = 'The disk that holds the files of the service is full: make room there.'
  return new PrivacyError('unavailable', message, { reason: 'disk_full' }, { cause })
}

/** Stores blobs as files that only this user may read (mode 0600). A file gets its name when it is complete. */
export const fileBlobs = (options: FileBlobsOptions = {}): FileBlobs => {
  const durable = options.durable ?? options.directory !== undefined
  let prepared: Promise<TemporaryDirectory> | undefined
  let isClosed = false
  /** Returns whether there is no directory yet. A temporary one is not created only to find that it is empty. */
  const holdsNothing = () => options.directory === undefined && prepared === undefined
  const root = async (): Promise<string> => {
    if (isClosed) throw new PrivacyError('unavailable', 'The file blobs were closed.', {})
    // A directory that could not be created (a full disk, a missing right) is tried again by the next call.
    prepared ??= prepare(options.directory).catch((error) => {
      prepared = undefined
      throw error
    })
    return (await prepared).path
  }
  const directoryOf = async (key: string): Promise<string> => join(await root(), ...blobPath(key))
  const fileOf = async (key: string): Promise<string> => `${await directoryOf(key)}.blob`

  const syncParents = async (directory: string): Promise<void> => {
    const top = await root()
    for (let path = directory; ; path = dirname(path)) {
      await syncDirectory(path)
      if (path === top) return
    }
  }

  const publish = async (from: string, to: string): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await rename(from, to)
        break
      } catch (error) {
        // A `delete` may have removed the directory since it was made.
        if (!isMissing(error) || attempt === 10) throw error
        await makeDirectory(dirname(to))
      }
    }
    if (durable) await syncParents(dirname(to))
  }

  return {
    outlivesProcess: options.directory !== undefined,
    async write(key, bytes) {
      const temporary = join(await root(), unfinished, randomUUID())
      try {
        const file = await fileOf(key)
        const made = makeBelow(await root(), dirname(file))
        made.catch(() => {})
        await fill(await open(temporary, 'wx', 0o600), bytes, durable)
        await made
        await publish(temporary, file)
      } catch (error) {
        await rm(temporary, { force: true })
        throw isFull(error) ? diskFull(error) : error
      }
    },
    async *read(key, { from = 0 } = {}) {
      const file = holdsNothing() ? undefined : await whenThere(open(await fileOf(key), 'r'))
      if (file === undefined) throw new PrivacyError('not_found', `There is no blob ${key}`, { kind: 'blob', id: key })
      try {
        // A published file never changes. Its size therefore says how much memory a small one needs, and when to stop.
        const { size } = await file.stat()
        const readAt = (position: number) => {
          const length = Math.min(chunkBytes, size - position)
          const reading = file.read(Buffer.allocUnsafeSlow(length), 0, length, position)
          reading.catch(() => {})
          return reading
        }
        let reading = from < size ? readAt(from) : undefined
        for (let position = from; reading; ) {
          const { bytesRead, buffer } = await reading
          if (bytesRead === 0) return
          position += bytesRead
          // the next chunk is read while this one is used
          reading = position < size ? readAt(position) : undefined
          yield buffer.subarray(0, bytesRead)
        }
      } finally {
        await file.close()
      }
    },
    async size(key) {
      return holdsNothing() ? undefined : (await whenThere(stat(await fileOf(key))))?.size
    },
    async delete(prefix) {
      if (holdsNothing()) return
      await rm(await fileOf(prefix), { force: true })
      // This is repeated when a write puts a file into a directory that is being removed.
      await rm(await directoryOf(prefix), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    },
    async close() {
      isClosed = true
      await (await prepared?.catch(() => undefined))?.remove()
    },
  }
}
