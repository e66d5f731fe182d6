import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Document } from 'mongodb'
import { keptOptions } from './kept-options.js'
import { documentSizes, frameOf, type Message, messageIn, messagesIn } from './mongo-wire.js'
import { openTransactions } from './open-transactions.js'

export interface MongoProxyOptions {
  /** The server is no member of a replica set: it has no transactions and refuses `txnNumber`. */
  readonly standsAlone?: boolean
  /** Whether the server is now a member of a replica set that may lag behind its primary. */
  readonly isSecondary?: () => boolean
  /** How long a transaction may last. Absent: until its driver or `settled` ends it. */
  readonly lifetimeMs?: number
  /**
   * Called with each command before it is passed on, and when its answer is there. `cut` ends the socket of the driver
   * instead, and `die` ends all of them, as if its process had been killed. `swallow` never answers.
   */
  readonly onCommand?: (
    name: string,
    moment: 'before' | 'after',
    command: Document,
  ) => 'cut' | 'die' | 'swallow' | undefined
}

export interface MongoProxy {
  readonly url: string
  /** Names of the commands that were passed on. */
  readonly commands: readonly string[]
  /** Ends all lines, and lets none through until `heal`. */
  cut(): void
  heal(): void
  /** How many transactions have begun and not ended. */
  openTransactions(): number
  /** Resolves when the server has done all that it was told by drivers that are gone, and ended their transactions. */
  settled(): Promise<void>
  close(): Promise<void>
}

const writes = new Set(['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'])
const greetings = new Set(['hello', 'ismaster', 'isMaster'])
const reads = new Set(['find', 'aggregate', 'count', 'distinct'])

/**
 * A server in front of the one at `url`. It refuses writes that need not be in the journals of a majority and reads that need not go to
 * the primary, and keeps the options of collections, which some servers that speak MongoDB's wire forget.
 */
export async function mongoProxy(url: string, options: MongoProxyOptions = {}): Promise<MongoProxy> {
  const target = new URL(url.replace(/^mongodb/, 'http'))
  const { standsAlone = false, isSecondary = () => false, lifetimeMs, onCommand } = options
  const kept = keptOptions(url)
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const drivers = new Set<Socket>()
  const port = Number(target.port || 27_017)
  const transactions = openTransactions(target.hostname, port, lifetimeMs)
  let unanswered = 0
  let dead = false
  let isAway = false
  const die = () => {
    dead = true
    for (const driver of drivers) driver.destroy()
  }

  const server = createServer((driver) => {
    if (dead || isAway) {
      driver.destroy()
      return
    }
    const upstream = connect(port, target.hostname)
    const asked = new Map<number, Document>()
    const endWhenIdle = () => {
      if (driver.destroyed && asked.size === 0) upstream.destroy()
    }
    drivers.add(driver)
    for (const socket of [driver, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
    }
    driver.on('close', () => {
      sockets.delete(driver)
      drivers.delete(driver)
      endWhenIdle()
    })
    upstream.on('close', () => {
      sockets.delete(upstream)
      unanswered -= asked.size
      asked.clear()
      driver.destroy()
    })
    const isCut = (name: string, moment: 'before' | 'after', document: Document) => {
      const what = dead ? 'die' : onCommand?.(name, moment, document)
      if (what === 'die') die()
      if (what && what !== 'swallow') driver.destroy()
      return what !== undefined
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
      if (isCut(name, 'before', document)) return
      const refusal = refused(name, document, standsAlone) ?? tooLarge(frame)
      if (refusal) {
        driver.write(frameOf({ id: 0, answers: message.id, document: refusal, sequences: Buffer.alloc(0) }))
        return
      }
      // a greeting may wait long for its answer
      if (!greetings.has(name)) {
        asked.set(message.id, document)
        unanswered++
        transactions.passed(name, document)
      }
      const passed = kept.command(name, document)
      const sequences = kept.sequences(name, message.sequences)
      const isSame = passed === document && sequences === message.sequences
      upstream.write(isSame ? frame : frameOf({ ...message, document: passed, sequences }))
    })
    onFrames(upstream, (frame) => {
      const message = messageIn(frame)
      const command = message && asked.get(message.answers)
      if (message && command) {
        const name = Object.keys(command)[0] ?? ''
        asked.delete(message.answers)
        unanswered--
        transactions.answered(name, command)
        if (isCut(name, 'after', command)) {
          endWhenIdle()
          return
        }
      }
      if (driver.destroyed) return
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
    if (greeted && isSecondary()) return { ...document, isWritablePrimary: false, ismaster: false, secondary: true }
    return kept.answer(document, command)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as { port: number }
  return {
    url: `mongodb://127.0.0.1:${own}/?directConnection=true&retryWrites=false`,
    commands,
    cut() {
      isAway = true
      for (const driver of drivers) driver.destroy()
    },
    heal() {
      isAway = false
    },
    openTransactions: transactions.count,
    async settled() {
      for (let left = 200; unanswered > 0 && left > 0; left--) await delay(5)
      await transactions.end()
    },
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
  const { w, j } = command['writeConcern'] ?? {}
  if (isWrite && (w !== 'majority' || j !== true)) {
    return failure(79, 'UnknownReplWriteConcern', `${name} has no write concern of a journaled majority`)
  }
  const mode = command['$readPreference']?.mode
  if (reads.has(name) && mode !== undefined && mode !== 'primary' && mode !== 'primaryPreferred') {
    return failure(13435, 'NotPrimaryNoSecondaryOk', `${name} may go to another member than the primary`)
  }
  return undefined
}

/** The document of a command, and each in the lists beside it, may have 16 MB, and all of them together 48 MB. */
function tooLarge(frame: Buffer): Document | undefined {
  return frame.length <= 48_000_000 && documentSizes(frame).every((bytes) => bytes <= 16 * 1024 * 1024)
    ? undefined
    : failure(10_334, 'BSONObjectTooLarge', 'BSONObj size is invalid')
}

function failure(code: number, codeName: string, errmsg: string): Document {
  return { ok: 0, code, codeName, errmsg }
}
