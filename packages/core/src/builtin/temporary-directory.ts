import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories = new Set<string>()

const removeAll = (): void => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
}

/** Makes a directory that only this user may enter (mode 0700) and that is removed when the process exits. */
export const temporaryDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'habeas-'))
  if (directories.size === 0) process.once('exit', removeAll)
  directories.add(directory)
  return directory
}
