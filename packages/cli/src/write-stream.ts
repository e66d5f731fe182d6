import { constants, createWriteStream, rmSync } from 'node:fs'
import { access, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { failed, wrongUsage } from './command-end.js'
import { give, say, type Terminal } from './terminal.js'

/** A text as a stream. */
export async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}

/** Writes a stream to a file, which is there only when it is whole, or to the standard output. */
export async function writeStream(
  terminal: Terminal,
  stream: AsyncIterable<Uint8Array>,
  name: string | undefined,
): Promise<void> {
  if (isStandardOutput(name)) {
    await pipeline(Readable.from(stream), terminal.data, { end: false }).catch((error) => {
      // a reader that has had enough is no failure
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
    })
    return
  }
  const path = resolve(terminal.folder, name)
  const partial = `${path}.partial`
  using _ = goneWith(partial)
  try {
    // what is written may be about a person: nobody else on the machine reads it
    await pipeline(Readable.from(stream), createWriteStream(partial, { mode: 0o600 }))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    const { code } = error as { code?: string }
    if (code !== undefined && ofFiles.has(code))
      throw failed(`'${name}' cannot be written (${code}): name another file.`, { cause: error })
    throw error
  }
  say(terminal, `Written: ${name}`)
}

/** Writes a text to a file, or to the standard output, where it may be shown on a terminal. */
export async function writeText(terminal: Terminal, text: string, name: string | undefined): Promise<void> {
  if (isStandardOutput(name)) give(terminal, text)
  else await writeStream(terminal, bytesOf(`${text}\n`), name)
}

/** Whether the option for a file means the standard output. */
export const isStandardOutput = (name: string | undefined): name is '-' | undefined =>
  name === undefined || name === '-'

const ofFiles = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOSPC', 'ENAMETOOLONG'])

/** Throws where a file that an option names cannot be written. */
export async function needWritable({ folder }: Terminal, option: string, name: string | undefined): Promise<void> {
  if (isStandardOutput(name)) return
  const path = resolve(folder, name)
  try {
    await access(dirname(path), constants.W_OK)
    if ((await stat(dirname(path))).isDirectory() && !(await isFolder(path))) return
  } catch {
    // said below
  }
  throw wrongUsage(`${option}: '${name}' cannot be written: name a file in a folder that is there.`)
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Removes a file, which may hold data of a person, where a signal ends the process. */
function goneWith(path: string): Disposable {
  const ended = (signal: NodeJS.Signals) => {
    rmSync(path, { force: true })
    process.removeListener(signal, ended)
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.on(signal, ended)
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.removeListener(signal, ended)
    },
  }
}
