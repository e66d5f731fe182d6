import type { Row, Value } from '@habeas/core'
import { batchBytes, type CursorOptions, type RowCursor, type Statement, type ValueParser } from '@habeas/sql'
import { watchProgress } from './progress.js'
import { onceSettled, type Submittable, syncNow, syncSoon, type WireClient } from './wire.js'

/** How many bytes are asked for at once. They fill several batches, so that a slow line is not idle between them. */
const fetchBytes = 4 * batchBytes
const mostRows = 50_000
/** A portion has this many times the rows that have come, so that a reader that soon stops has not asked for many. */
const growth = 4

/**
 * Runs a statement as a portal whose first rows come with the round trip that opens it. The portal is read in portions,
 * and the size of the rows read so far decides how many rows the next one has. While a batch waits for the consumer the
 * socket is paused, so that memory is bounded by bytes even where the rows grow.
 *
 * This is own code. `pg-cursor` 2.22 reads 200,000 rows as fast (0.9 to 1.1 of the time), but counts batches in rows. Where
 * rows grow, one batch took 100 MB, and 0.3 MB here. A small result takes it two round trips, 85 ms instead of 43 ms here.
 */
export function openCursor(client: WireClient, statement: Statement, options: CursorOptions): RowCursor {
  const { connection: wire } = client
  let parsers: (ValueParser | undefined)[] = []
  let batch: Row[] = []
  let bytes = 0
  let ready: Row[][] = []
  let rowsSeen = 0
  let bytesSeen = 0
  let waiting: { resolve(batch: Row[] | undefined): void; reject(error: unknown): void } | undefined
  let failure: { readonly error: unknown } | undefined
  let complete = false
  let discarding = false
  let synced = false
  let settle: (reusable: boolean) => void
  const settled = new Promise<boolean>((resolve) => {
    settle = resolve
  })
  const watch = watchProgress(wire.stream, options.stallAfterMs, options.onStall)

  const sync = () => {
    if (synced) return
    synced = true
    wire.sync()
  }
  const fetch = (rows: number) => {
    wire.execute({ rows })
    wire.flush()
  }
  const deliver = () => {
    if (batch.length === 0) return
    const filled = batch
    batch = []
    bytes = 0
    if (waiting) {
      waiting.resolve(filled)
      waiting = undefined
    } else {
      ready.push(filled)
      wire.stream.pause()
    }
  }
  const fail = (error: unknown) => {
    if (complete || failure) return
    failure = { error }
    discard()
    waiting?.reject(error)
    waiting = undefined
  }
  const discard = () => {
    discarding = true
    batch = []
    ready = []
    wire.stream.resume()
  }
  const finish = () => {
    syncSoon(wire, sync)
    deliver()
    complete = true
    options.onComplete()
    waiting?.resolve(undefined)
    waiting = undefined
    // only one short message is still to come, so nothing has to be held back
    wire.stream.resume()
  }
  const end = (reusable: boolean) => {
    watch.end()
    settle(reusable)
  }

  let sent = false
  const send = () => {
    if (sent) return
    sent = true
    wire.stream.cork()
    syncNow(wire)
    wire.parse({ text: statement.sql })
    wire.bind({ values: statement.parameters })
    wire.describe({ type: 'P' })
    fetch(options.firstRows)
    wire.stream.uncork()
  }
  const submittable: Submittable = {
    submit: send,
    handleRowDescription({ fields }) {
      parsers = fields.map(({ dataTypeID }, index) => options.parserOf(dataTypeID, index))
    },
    handleDataRow({ fields, length }) {
      if (discarding) return
      try {
        batch.push(parsed(fields, parsers))
      } catch (error) {
        fail(error)
        sync()
        return
      }
      rowsSeen += 1
      bytesSeen += length
      bytes += length
      if (bytes >= batchBytes) deliver()
    },
    handlePortalSuspended() {
      if (synced) return
      if (waiting) deliver()
      fetch(Math.min(mostRows, growth * rowsSeen, Math.ceil((fetchBytes * rowsSeen) / bytesSeen)))
    },
    handleCommandComplete: finish,
    handleEmptyQuery: finish,
    handleReadyForQuery: () => end(true),
    handleError(error) {
      fail(error)
      // after an error the server ignores everything before this message
      sync()
      onceSettled(wire, end)
    },
  }
  // The statement before is complete, and its last message is on the way. Waiting for it would cost a round trip.
  if (!client.readyForQuery) send()
  client.query(submittable)

  return {
    next() {
      if (failure) return Promise.reject(failure.error)
      const batch = ready.shift()
      if (batch) {
        wire.stream.resume()
        return Promise.resolve(batch)
      }
      if (complete) return Promise.resolve(undefined)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      })
    },
    stop() {
      discard()
      sync()
      return settled
    },
    fail,
    settled,
    stopsQuickly: true,
  }
}

/** Turns the fields into the row in place, so that a row costs no second array. */
function parsed(fields: (string | null)[], parsers: readonly (ValueParser | undefined)[]): Row {
  const row: (Value | undefined)[] = fields
  for (let index = 0; index < fields.length; index++) {
    const parser = parsers[index]
    const text = fields[index]
    if (parser && text !== null && text !== undefined) row[index] = parser(text)
  }
  return row
}
