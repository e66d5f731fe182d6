import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createJiti } from 'jiti'
import * as z from 'zod'
import { CommandFailure, wrongUsage } from '../command-end.js'
import type { Terminal } from '../terminal.js'
import type { Config } from './config.js'

export interface LoadedConfig extends Config {
  readonly files: readonly string[]
  /** The folder of the configuration. */
  readonly folder: string
  /** The environment variables that it names, and that are not set. */
  unset(): readonly string[]
}

export const configNames = ['habeas.config.ts', 'habeas.config.mts', 'habeas.config.js', 'habeas.config.mjs']

const configSchema = z.strictObject({
  files: z.array(z.string().min(1)).min(1).default(['habeas']),
  connections: z
    .record(
      z.string(),
      z.strictObject({
        type: z.string().min(1),
        access: z.enum(['read', 'write']).optional(),
        secrets: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .optional(),
  service: z.custom<NonNullable<Config['service']>>((value) => typeof value === 'object' && value !== null).optional(),
})

/** Loads the configuration that is named, or the one in the folder. Undefined where the folder has none. */
export async function loadConfig(
  { folder, env }: Terminal,
  name: string | undefined,
): Promise<LoadedConfig | undefined> {
  const path =
    name === undefined
      ? configNames.map((each) => resolve(folder, each)).find((each) => existsSync(each))
      : resolve(folder, name)
  if (path === undefined) return undefined
  if (!existsSync(path))
    throw wrongUsage(`There is no configuration '${name}': correct --config, or run 'habeas init'.`)
  const exported = await importDefault(path)
  const read = configSchema.safeParse(exported)
  if (!read.success) {
    const places = read.error.issues.map((issue) => `${issue.path.join('.') || 'the default export'}: ${issue.message}`)
    throw wrongUsage(
      `'${basename(path)}' is no configuration. ${places.join('; ')}. Export defineConfig({ … }) by default.`,
    )
  }
  return {
    ...(read.data as Config),
    files: read.data.files,
    folder: dirname(path),
    unset: () => variablesOf(path).filter((name) => !env[name]),
  }
}

/** The environment variables that a file names. */
function variablesOf(path: string): string[] {
  const found = readFileSync(path, 'utf8').matchAll(/\benv(?:\.(\w+)|\[['"](\w+)['"]\])/g)
  return [...new Set([...found].map(([, name, quoted]) => (name ?? quoted) as string))]
}

async function importDefault(path: string): Promise<unknown> {
  try {
    return ((await importFile(path)) as { default?: unknown }).default
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const missing = /Cannot find (?:package|module) '([^'./][^']*)'/.exec((error as Error).message)?.[1]
    if (missing !== undefined) {
      const name = missing
        .split('/')
        .slice(0, missing.startsWith('@') ? 2 : 1)
        .join('/')
      throw wrongUsage(`'${basename(path)}' imports ${name}, which is not installed: npm install ${name}`, {
        cause: error,
      })
    }
    throw wrongUsage(`'${basename(path)}' cannot be loaded: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Node runs TypeScript by itself from 22.18 on, but not as a module in a project of CommonJS, which `npm init` makes. So jiti
 * runs it everywhere, and leaves no copy of it. From its sources this command runs under a loader that does.
 */
async function importFile(path: string): Promise<unknown> {
  const isLoaded = import.meta.url.endsWith('.ts') || !/\.m?ts$/.test(path)
  return isLoaded ? import(pathToFileURL(path).href) : createJiti(import.meta.url, { fsCache: false }).import(path)
}
