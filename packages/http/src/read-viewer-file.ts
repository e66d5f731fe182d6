import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/**
 * Reads one file of the viewer from where npm has put it. The build replaces this module by one that holds the files, so
 * that bundlers take them along: see `embed-viewer.ts`.
 */
export function readViewerFile(name: string): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))
}
