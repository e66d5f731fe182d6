import { once } from 'node:events'
import { connect } from 'node:net'
import type { Document } from 'mongodb'
import { frameOf } from './mongo-wire.js'

const endings = new Set(['commitTransaction', 'abortTransaction'])

interface Open {
  readonly command: Document
  readonly timer?: NodeJS.Timeout
}

/**
 * Knows the transactions that have begun and not ended, and ends them as a server does after a minute: when it is told to, or
 * each after `lifetimeMs`.
 */
export function openTransactions(host: string, port: number, lifetimeMs?: number) {
  const open = new Map<string, Open>()
  const keyOf = ({ lsid, txnNumber }: Document) => `${JSON.stringify(lsid)} ${txnNumber}`
  const forget = (key: string) => {
    clearTimeout(open.get(key)?.timer)
    open.delete(key)
  }

  async function abort(key: string): Promise<void> {
    const begun = open.get(key)
    if (!begun) return
    forget(key)
    const { lsid, txnNumber } = begun.command
    const socket = connect(port, host)
    const document = { abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' }
    socket.write(frameOf({ id: 1, answers: 0, document, sequences: Buffer.alloc(0) }))
    await once(socket, 'data')
    socket.destroy()
  }

  return {
    passed(name: string, command: Document): void {
      const key = keyOf(command)
      if (command['autocommit'] !== false || endings.has(name) || open.has(key)) return
      const timer = lifetimeMs === undefined ? undefined : setTimeout(() => void abort(key), lifetimeMs)
      open.set(key, { command, ...(timer && { timer }) })
    },
    answered(name: string, command: Document): void {
      if (endings.has(name)) forget(keyOf(command))
    },
    /** Ends those of drivers that are gone. */
    async end(): Promise<void> {
      await Promise.all([...open.keys()].map(abort))
    },
    count: () => open.size,
  }
}
