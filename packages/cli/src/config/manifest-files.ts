import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { ManifestFile } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import type { LoadedConfig } from './load-config.js'

/** Whether a name of `files` is a file, and no folder of files. */
export const isManifest = (name: string) => /\.(?:ya?ml|json)$/.test(name)

/** The files of manifests, in a fixed order, under names from the folder of the configuration on. */
export function manifestFiles({ folder, files }: LoadedConfig): ManifestFile[] {
  const paths = files.flatMap((name) => {
    const path = resolve(folder, name)
    if (!existsSync(path)) {
      // the first draft makes it
      if (!isManifest(name)) return []
      throw wrongUsage(`There is no file '${name}': correct 'files' in the configuration.`)
    }
    if (!statSync(path).isDirectory()) return [path]
    const found = readdirSync(path, { recursive: true, encoding: 'utf8' })
    return found
      .filter(isManifest)
      .sort()
      .map((each) => join(path, each))
  })
  return [...new Set(paths)].map((path) => ({ file: relative(folder, path), text: readFileSync(path, 'utf8') }))
}
