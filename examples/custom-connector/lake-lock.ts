import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PrivacyError } from '@habeas/core'

const prefix = '_lock~'

/**
 * Does some work while no other process of this kind writes to the folder. A lock is a file of its own name, so the lock of
 * a process that was killed can be removed without touching anybody else's.
 */
export async function withLock<Result>(
  folder: string,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  const own = `${prefix}${encodeURIComponent(hostname())}~${process.pid}~${await beginOf(process.pid)}~${randomUUID()}`
  const release = () => rm(join(folder, own), { force: true })
  const end = Date.now() + 1000 * seconds
  for (;;) {
    signal.throwIfAborted()
    try {
      await (await open(join(folder, own), 'wx')).close()
      // Whoever looks after its own lock is there sees every other lock that was taken before.
      const [other] = await othersIn(folder, own)
      if (other === undefined) return await work()
      if (Date.now() > end) throw lockTimeout(other)
    } finally {
      await release()
    }
    await sleep(5 + Math.random() * 30, undefined, { signal }).catch(() => {})
  }
}

/** The locks of others that still run. Those of processes that have ended are removed. */
async function othersIn(folder: string, own: string): Promise<string[]> {
  const others: string[] = []
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || name === own) continue
    const [, host = '', pid, begin] = name.split('~')
    const isOver = decodeURIComponent(host) === hostname() && !(await isRunning(Number(pid), begin))
    if (isOver) await rm(join(folder, name), { force: true })
    else others.push(name)
  }
  return others
}

async function isRunning(pid: number, begin: string | undefined): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return begin === (await beginOf(pid))
}

/**
 * When a process began, in a number that the system counts. Its id may come back, as that of the only process of a
 * container always does, and then belongs to a process that began at another time. Empty where the system does not tell.
 */
export async function beginOf(pid: number): Promise<string> {
  const said = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return said.slice(said.lastIndexOf(')')).split(' ')[20] ?? ''
}

function lockTimeout(other: string): PrivacyError {
  const message = `Another process writes to the table: try again, or remove the file ${other} if that process has ended.`
  return new PrivacyError('connection_failed', message, { reason: 'lock_timeout', transient: true })
}
