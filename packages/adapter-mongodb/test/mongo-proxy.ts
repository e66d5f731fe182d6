import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Document } from 'mongodb'
import { keptOptions } from './kept-options.js'
import { frameOf, type Message, messageIn, messagesIn } from './mongo-wire.js'

export interface MongoProxyOptions {
  /** The server is no member of a replica set: it has no transactions and refuses `txnNumber`. */
  readonly standsAlone?: boolean
  /** Called with each command before it is passed on. `cut` ends the socket instead. */
  readonly onCommand?: (name: string, command: Document) => 'cut' | undefined
}

export interface MongoProxy {
  readonly url: string
  /** Names of the commands that were passed on. */
  readonly commands: readonly string[]
  close(): Promise<void>
}

const writes = new Set(['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'])
const reads = new Set(['find', 'aggregate', 'count', 'distinct'])

/**
 * A server in front of the one at `url`. It refuses writes without majority write concern and reads that need not go to
 * the primary, and keeps the options of collections, which some servers that speak MongoDB's wire forget.
 */
export async function mongoProxy(url: string, options: MongoProxyOptions = {}): Promise<MongoProxy> {
  const target = new URL(url.replace(/^mongodb/, 'http'))
  const { standsAlone = false, onCommand } = options
  const kept = keptOptions(url)
  const commands: string[] = []
  const sockets = new Set<Socket>()

  const server = createServer((driver) => {
    const upstream = connect(Number(target.port || 27_017), target.hostname)
    const asked = new Map<number, Document>()
    for (const socket of [driver, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        driver.destroy()
        upstream.destroy()
      })
    }
    onFrames(driver, (frame) => {
      const message = messageIn(frame)
      if (!message) {
        upstream.write(frame)
        return
      }
      const { document } = message
      const name = Object.keys(document)[0] ?? ''
      commands.push(name)
      if (onCommand?.(name, document) === 'cut') {
        driver.destroy()
        return
      }
      const refusal = refused(name, document, standsAlone)
      if (refusal) {
        driver.write(frameOf({ id: 0, answers: message.id, document: refusal, sequences: Buffer.alloc(0) }))
        return
      }
      asked.set(message.id, document)
      const passed = kept.command(name, document)
      upstream.write(passed === document ? frame : frameOf({ ...message, document: passed }))
    })
    onFrames(upstream, (frame) => {
      const message = messageIn(frame)
      const command = message && asked.get(message.answers)
      if (message) asked.delete(message.answers)
      const document = message && answered(message, command)
      driver.write(
        message && document !== message.document ? frameOf({ ...message, document: document! }, frame) : frame,
      )
    })
  })

  function answered({ document }: Message, command: Document | undefined): Document {
    const greeted = 'isWritablePrimary' in document || 'ismaster' in document
    if (greeted && standsAlone) {
      const { setName: _, hosts: __, me: ___, primary: ____, secondary: _____, ...alone } = document
      return alone
    }
    return kept.answer(document, command)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true&retryWrites=false`,
    commands,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function onFrames(socket: Socket, each: (frame: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    const split = messagesIn(Buffer.concat([rest, data]))
    rest = split.rest
    for (const frame of split.frames) each(frame)
  })
}

function refused(name: string, command: Document, standsAlone: boolean): Document | undefined {
  const inTransaction = command['autocommit'] === false
  if (standsAlone && ('txnNumber' in command || 'autocommit' in command)) {
    return failure(20, 'IllegalOperation', 'Transaction numbers are only allowed on a replica set member or mongos')
  }
  const isWrite = writes.has(name) && (!inTransaction || name === 'commitTransaction')
  if (isWrite && command['writeConcern']?.w !== 'majority') {
    return failure(79, 'UnknownReplWriteConcern', `${name} has no majority write concern`)
  }
  const mode = command['$readPreference']?.mode
  if (reads.has(name) && mode !== undefined && mode !== 'primary' && mode !== 'primaryPreferred') {
    return failure(13435, 'NotPrimaryNoSecondaryOk', `${name} may go to another member than the primary`)
  }
  return undefined
}

function failure(code: number, codeName: string, errmsg: string): Document {
  return { ok: 0, code, codeName, errmsg }
}
