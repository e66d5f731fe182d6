import { randomUUID } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
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
  const own = `${prefix}${encodeURIComponent(hostname())}~${process.pid}~${randomUUID()}`
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
    const [, host = '', pid] = name.split('~')
    const isOver = decodeURIComponent(host) === hostname() && !isRunning(Number(pid))
    if (isOver) await rm(join(folder, name), { force: true })
    else others.push(name)
  }
  return others
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function lockTimeout(other: string): PrivacyError {
  const message = `Another process writes to the table: try again, or remove the file ${other} if that process has ended.`
  return new PrivacyError('connection_failed', message, { reason: 'lock_timeout', transient: true })
}
