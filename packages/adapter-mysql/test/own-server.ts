import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverProgram } from '../../../scripts/kinds.js'
import { freePort } from '../../core/test/fixtures/free-port.js'
import type { Kind } from './servers.js'

/** A running server whose settings are a test's own. */
export interface OwnServer {
  readonly url: string
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

/**
 * Starts a server with these settings, on which root has no password. Its program is `mysqld` or `mariadbd` on PATH, or at the path
 * in MYSQLD_BIN or MARIADBD_BIN.
 */
export async function startServer(kind: Kind, ...settings: readonly string[]): Promise<OwnServer> {
  const program = serverProgram(kind === 'mysql' ? 'mysqld' : 'mariadbd')
  if (program === undefined) throw new Error(`Set ${kind.toUpperCase()}D_BIN to the program of the server.`)
  const folder = await mkdtemp(join(tmpdir(), `habeas-${kind}-`))
  const port = await freePort()
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', ...user, `--datadir=${join(folder, 'data')}`, ...settings]
  const run = (...more: readonly string[]) => spawn(program, [...common, ...more])
  let child: ChildProcess | undefined
  const kill = () => void child?.kill()
  const stop = async () => {
    process.off('exit', kill)
    if (child && child.exitCode === null) {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    }
    await rm(folder, { recursive: true, force: true })
  }
  process.once('exit', kill)
  try {
    await mkdir(join(folder, 'data'))
    if (kind === 'mysql') await saidAtEnd(run('--initialize-insecure'))
    else await saidAtEnd(run('--bootstrap'), await systemTables(program))
    const own = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`]
    child = run(...own, ...(kind === 'mysql' ? ['--mysqlx=OFF', '--skip-log-bin', '--secure-file-priv=NULL'] : []))
    await saidBy(child, /ready for connections\..*?port: [1-9]/s)
    return { url: `mysql://root@127.0.0.1:${port}`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The statements that make the system tables of MariaDB, which lie beside its sets of characters. */
async function systemTables(program: string): Promise<string> {
  const settings = await saidAtEnd(spawn(program, ['--no-defaults', '--verbose', '--help']))
  const [, charsets = ''] = /^character-sets-dir +(.*)$/m.exec(settings) ?? []
  const files = ['mysql_system_tables.sql', 'mysql_system_tables_data.sql']
  const texts = await Promise.all(files.map((file) => readFile(join(charsets, '..', file), 'utf8')))
  return ['create database mysql;', 'use mysql;', 'set @auth_root_socket = null;', ...texts, ''].join('\n')
}

/** Returns what a program says that ends by itself. */
async function saidAtEnd(child: ChildProcess, input = ''): Promise<string> {
  const said: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text
    })
  child.stdin?.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The server was not made: ${said.stderr}`)
  return said.stdout
}

/** Waits until the server has said this. Its words are read on, so that it never waits for a reader. */
async function saidBy(child: ChildProcess, words: RegExp): Promise<void> {
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      if (words.test(said)) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`The server ended: ${said}`)))
  })
}
