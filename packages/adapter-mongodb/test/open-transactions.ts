import { once } from 'node:events'
import { connect } from 'node:net'
import type { Document } from 'mongodb'
import { frameOf } from './mongo-wire.js'

const endings = new Set(['commitTransaction', 'abortTransaction'])

/** Knows the transactions that have begun and not ended, and ends them as a server does after a minute. */
export function openTransactions(host: string, port: number) {
  const open = new Map<string, Document>()
  const keyOf = ({ lsid, txnNumber }: Document) => `${JSON.stringify(lsid)} ${txnNumber}`

  return {
    passed(name: string, command: Document): void {
      if (command['autocommit'] === false && !endings.has(name)) open.set(keyOf(command), command)
    },
    answered(name: string, command: Document): void {
      if (endings.has(name)) open.delete(keyOf(command))
    },
    /** Ends those of drivers that are gone. */
    async end(): Promise<void> {
      for (const { lsid, txnNumber } of open.values()) {
        const socket = connect(port, host)
        const document = { abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' }
        socket.write(frameOf({ id: 1, answers: 0, document, sequences: Buffer.alloc(0) }))
        await once(socket, 'data')
        socket.destroy()
      }
      open.clear()
    },
  }
}
