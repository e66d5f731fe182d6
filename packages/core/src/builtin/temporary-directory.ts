import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories = new Set<string>()

const removeAll = (): void => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
}

export interface TemporaryDirectory {
  readonly path: string
  /** Removes it with its content, before the process exits. */
  remove(): Promise<void>
}

/**
 * Creates a directory that only this user may enter (mode 0700). It is removed at the latest when the process exits.
 */
export const temporaryDirectory = async (): Promise<TemporaryDirectory> => {
  const path = await mkdtemp(join(tmpdir(), 'habeas-'))
  if (directories.size === 0) {
    process.removeListener('exit', removeAll)
    process.once('exit', removeAll)
  }
  directories.add(path)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
      directories.delete(path)
    },
  }
}
