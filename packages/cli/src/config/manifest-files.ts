import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { ManifestFile } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import type { LoadedConfig } from './load-config.js'

/** Whether a name of `files` is a file, and no folder of files. */
export const isManifest = (name: string) => /\.(?:ya?ml|json)$/i.test(name)

/** The files of manifests, in a fixed order, under names from the folder of the configuration on. */
export function manifestFiles({ folder, files }: Pick<LoadedConfig, 'folder' | 'files'>): ManifestFile[] {
  const paths = files.flatMap((name) => {
    const path = resolve(folder, name)
    if (!existsSync(path)) {
      // the first draft makes it
      if (!isManifest(name)) return []
      throw wrongUsage(`There is no file '${name}': correct 'files' in the configuration.`)
    }
    if (kindOf(path, name) === 'folder') {
      const found = readdirSync(path, { recursive: true, encoding: 'utf8' })
      return found
        .filter(isManifest)
        .sort()
        .map((each) => join(path, each))
    }
    return [path]
  })
  return [...new Set(paths)].map((path) => readManifest(relative(folder, path), path))
}

function readManifest(file: string, path: string): ManifestFile {
  // a pipe would be waited for
  if (kindOf(path, file) !== 'file') throw wrongUsage(`'${file}' is no file: give it another name, or take it away.`)
  return { file, text: whenReadable(file, () => readFileSync(path, 'utf8')) }
}

function kindOf(path: string, name: string): 'file' | 'folder' | 'other' {
  const found = whenReadable(name, () => statSync(path))
  if (found.isFile()) return 'file'
  return found.isDirectory() ? 'folder' : 'other'
}

function whenReadable<Result>(name: string, read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw wrongUsage(`'${name}' cannot be read (${code}): mend it, or take it away.`, { cause })
  }
}
