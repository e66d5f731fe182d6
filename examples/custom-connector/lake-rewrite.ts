import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { failed, type LakeFile, type LakeTable, linesOf, textOfLine } from './lake-files.js'

const prefix = '.rewritten~'
const chunkBytes = 1024 * 1024

/** What becomes of a line: another text, the same, or nothing. */
export type LineChange = (text: string) => string | undefined

/** A new file beside the one that it replaces. */
export interface Rewritten {
  /** Puts it in the place of the old file, unless that has changed meanwhile. */
  replace(): Promise<void>
}

/**
 * Writes a file anew, down to the disk. The old one stays until it is replaced by a rename, so that whoever reads the folder,
 * or finds it after a crash, sees the old rows or the new ones.
 */
export async function rewritten({ path }: LakeFile, change: LineChange, signal: AbortSignal): Promise<Rewritten> {
  const before = await stat(path, { bigint: true })
  const next = join(dirname(path), `${prefix}${randomUUID()}`)
  const mode = Number(before.mode) & 0o777
  const file = await open(next, 'wx', mode)
  try {
    // `open` takes away what the umask of this process forbids.
    await file.chmod(mode)
    let chunks: Buffer[] = []
    let length = 0
    const flush = async () => {
      await file.writeFile(Buffer.concat(chunks))
      chunks = []
      length = 0
    }
    for await (const line of linesOf(path, signal)) {
      const text = textOfLine(line, path)
      const changed = text === undefined ? text : change(text)
      if (text !== undefined && changed === undefined) continue
      const kept = changed === text ? line : Buffer.from(changed as string)
      chunks.push(kept, newLine)
      length += kept.length + 1
      if (length >= chunkBytes) await flush()
    }
    if (length > 0) await flush()
    await file.sync()
  } finally {
    await file.close()
  }
  return {
    async replace() {
      const now = await stat(path, { bigint: true })
      const isSame = now.ino === before.ino && now.size === before.size && now.mtimeNs === before.mtimeNs
      if (!isSame) throw failed('other', `${basename(path)} was changed by something else meanwhile: try again.`)
      await rename(next, path)
      const folder = await open(dirname(path), 'r')
      await folder.sync().finally(() => folder.close())
    },
  }
}

const newLine = Buffer.from('\n')

/** Removes new files that replaced nothing, such as those of a process that was killed. Only under the lock of the table. */
export async function removeUnfinished({ folder, files }: LakeTable): Promise<void> {
  const folders = new Set([folder, ...files.map(({ path }) => dirname(path))])
  for (const each of folders) {
    for (const name of await readdir(each)) if (name.startsWith(prefix)) await rm(join(each, name), { force: true })
  }
}
