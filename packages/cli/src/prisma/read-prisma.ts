import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Block } from '@mrleebo/prisma-ast'
import { wrongUsage } from '../command-end.js'

const parser = '@mrleebo/prisma-ast'

/** Reads a Prisma schema: a file, or all files of a folder. */
export async function readPrisma(folder: string, name: string): Promise<readonly Block[]> {
  const path = resolve(folder, name)
  if (!existsSync(path)) throw wrongUsage(`There is no file or folder '${name}': correct --prisma.`)
  const isFolder = statSync(path).isDirectory()
  const found = isFolder ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
  const files = isFolder ? found.filter((each) => each.endsWith('.prisma')).sort() : ['']
  if (files.length === 0) throw wrongUsage(`The folder '${name}' has no file that ends in .prisma: correct --prisma.`)
  const { getSchema } = await loadParser()
  return files.flatMap((file) => {
    try {
      return getSchema(readFileSync(join(path, file), 'utf8')).list
    } catch (error) {
      throw wrongUsage(`${join(name, file)}${placeOf(error)} cannot be read as a Prisma schema: correct it.`, {
        cause: error,
      })
    }
  })
}

async function loadParser() {
  try {
    return await import('@mrleebo/prisma-ast')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw wrongUsage(`--prisma needs ${parser}, which is not installed: npm install --save-dev ${parser}`, {
      cause: error,
    })
  }
}

function placeOf(error: unknown): string {
  const { startLine, startColumn } = (error as { token?: { startLine?: number; startColumn?: number } }).token ?? {}
  return startLine ? `, line ${startLine}, column ${startColumn},` : ''
}
