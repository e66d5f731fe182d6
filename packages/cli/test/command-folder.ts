import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, inject } from 'vitest'

/** See `built-packages.ts`. */
const installed = inject('installedPackages')

/** Runs the command as it is built. */
export const commandLine = [process.execPath, join(installed, 'cli/dist/main.js')]

/** How a command ended. */
export interface CommandRun {
  readonly exitCode: number | null
  /** Data. */
  readonly stdout: string
  /** Talk. */
  readonly stderr: string
}

/** An empty folder of a person who has installed the command and two adapters. It is gone after the tests of the file. */
export interface CommandFolder {
  readonly path: string
  write(name: string, content: string): void
  /** Changes a file that exists. What is replaced has to be there. */
  replace(name: string, from: string, to: string): void
  read(name: string): string
  has(name: string): boolean
  remove(name: string): void
  /** Runs the command as a process of its own, with nothing of our environment. */
  run(args: readonly string[], given?: Given): Promise<CommandRun>
}

export interface Given {
  readonly env?: Env
  readonly input?: string
  /** What is done to the process while it runs. */
  readonly meanwhile?: (child: ChildProcess) => Promise<void>
}

export type Env = Readonly<Record<string, string>>

/** Makes the folder, with these files. `env` is there for each command. */
export function commandFolder(
  files: Readonly<Record<string, string>> = {},
  env: () => Env = () => ({}),
): CommandFolder {
  const path = mkdtempSync(join(tmpdir(), 'habeas-cli-'))
  afterAll(() => rmSync(path, { recursive: true }))
  mkdirSync(join(path, 'node_modules/@habeas'), { recursive: true })
  for (const name of readdirSync(installed))
    symlinkSync(join(installed, name), join(path, 'node_modules/@habeas', name))
  const folder: CommandFolder = {
    path,
    write(name, content) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), content)
    },
    replace(name, from, to) {
      const old = folder.read(name)
      if (!old.includes(from)) throw new Error(`'${from}' is not in ${name}:\n${old}`)
      folder.write(name, old.replace(from, to))
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    has: (name) => existsSync(join(path, name)),
    remove: (name) => rmSync(join(path, name)),
    async run(args, given = {}) {
      const { PATH = '', HOME = '' } = process.env
      const [node, ...flags] = commandLine
      const child = spawn(node as string, [...flags, ...args], {
        cwd: path,
        env: { PATH, HOME, ...env(), ...given.env },
      })
      child.stdin.end(given.input ?? '')
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
        given.meanwhile?.(child),
      ])
      return { exitCode: child.exitCode, stdout, stderr }
    },
  }
  for (const [name, content] of Object.entries(files)) folder.write(name, content)
  return folder
}
