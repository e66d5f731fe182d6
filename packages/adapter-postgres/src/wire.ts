import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/**
 * The messages of the protocol that `pg` writes. Its own types leave most of them out, and `pg-cursor` calls the same ones.
 * `row-cursor.ts` and `statement-batch.ts` say what that library and the driver's own pipelines cannot do.
 */
export interface Wire extends EventEmitter {
  readonly stream: Socket
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  /** Called with the socket once messages may come over it, which is a second time after TLS was agreed on. */
  attachListeners(stream: MessageSource): void
  cancel(processId: number, secretKey: number): void
  parse(message: { text: string }): void
  bind(message: { values: readonly unknown[] }): void
  describe(message: { type: 'P' }): void
  execute(message: { rows: number }): void
  flush(): void
  sync(): void
}

/** What the driver uses of a socket to read messages. */
export interface MessageSource {
  on(event: string, listener: (...received: unknown[]) => void): void
}

/** The methods that `pg` calls while a statement of this package is the active one. */
export interface Submittable {
  submit(): void
  handleRowDescription(message: { readonly fields: readonly { readonly dataTypeID: number }[] }): void
  /** `length` counts the bytes of the message. */
  handleDataRow(message: { readonly fields: (string | null)[]; readonly length: number }): void
  handlePortalSuspended(): void
  /** `text` is the server's tag, such as `UPDATE 5`. */
  handleCommandComplete(message: { readonly text: string }): void
  handleEmptyQuery(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

/** The part of a `pg.Client` that is used here. */
export interface WireClient extends EventEmitter {
  readonly connection: Wire
  readonly processID: number
  readonly secretKey: number
  /** False from the first message of a statement to the server's last one about it. */
  readonly readyForQuery: boolean
  connect(): Promise<unknown>
  query(statement: Submittable): void
  query(text: string): Promise<unknown>
  end(): Promise<void>
  ref(): void
  unref(): void
}

/** Calls `end` when the server is ready after an error, or the connection is gone. `pg` itself no longer says so then. */
export function onceSettled(wire: Wire, end: (reusable: boolean) => void): void {
  const ready = () => ended(true)
  const gone = () => ended(false)
  const ended = (reusable: boolean) => {
    wire.off('readyForQuery', ready).off('end', gone)
    end(reusable)
  }
  wire.once('readyForQuery', ready).once('end', gone)
  if (!wire.stream.writable) ended(false)
}

/** How long the message that ends a statement waits for the next statement. */
const waitMs = 25
const waiting = new WeakMap<Wire, () => void>()

/**
 * Ends a statement that is complete. The client may get its next one at once, and then both leave in one packet: a message
 * by itself would cost client and server as much as a small statement.
 */
export function syncSoon(wire: Wire, sync: () => void): void {
  const timer = setTimeout(() => syncNow(wire), waitMs)
  waiting.set(wire, () => {
    clearTimeout(timer)
    sync()
  })
}

/** Ends the statement before, where that waits, and returns whether it did. To be called before another message is sent. */
export function syncNow(wire: Wire): boolean {
  const sync = waiting.get(wire)
  waiting.delete(wire)
  sync?.()
  return sync !== undefined
}
