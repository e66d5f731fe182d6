import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { failed } from './command-end.js'
import { say, type Terminal } from './terminal.js'

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
  if (name === undefined || name === '-') {
    for await (const part of stream) terminal.data.write(part)
    return
  }
  const path = resolve(terminal.folder, name)
  const partial = `${path}.partial`
  try {
    // what is written may be about a person: nobody else on the machine reads it
    await pipeline(Readable.from(stream), createWriteStream(partial, { mode: 0o600 }))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    const { code } = error as { code?: string }
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' || code === 'ENOSPC')
      throw failed(`'${name}' cannot be written (${code}): name another file with --output.`, { cause: error })
    throw error
  }
  say(terminal, `Written: ${name}`)
}
