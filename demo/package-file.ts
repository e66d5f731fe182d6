import { createWriteStream } from 'node:fs'
import { access, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

const ignoredByGit = fileURLToPath(new URL('../out/demo', import.meta.url))

/** Writes a package to a file that only this user can read, in `out/demo` or, where that cannot be written, elsewhere. */
export async function writePackageFile(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ path: string; size: number }> {
  const folder = await writableFolder()
  const path = join(folder, name)
  const unfinished = `${path}.unfinished`
  const file = createWriteStream(unfinished, { mode: 0o600 })
  try {
    await pipeline(bytes, file)
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  const near = relative(process.cwd(), path)
  return { path: near.startsWith('..') ? path : near, size: file.bytesWritten }
}

async function writableFolder(): Promise<string> {
  try {
    await mkdir(ignoredByGit, { recursive: true, mode: 0o700 })
    await access(ignoredByGit, constants.W_OK)
    return ignoredByGit
  } catch {
    return await mkdtemp(join(tmpdir(), 'habeas-demo-'))
  }
}
