import { breather } from '../../async/breather.js'
import { untilAborted } from '../../async/until-aborted.js'
import { PrivacyError } from '../../errors.js'
import type { CallOptions } from '../../ports/call-options.js'
import type { Connection, Row } from '../../ports/connector.js'
import { counted } from '../../rules/value/counted-rows.js'

/**
 * A connection whose calls fail when no answer comes for too long. A driver that waits for an answer for ever, or a source
 * of one's own that does, would otherwise keep its request running for ever. The failure is one that may pass, and `onSilence`
 * is called so that the next call is made over another connection. A write may still take effect: its fence, or the rows that are
 * looked for again, tell.
 */
export function timedConnection(connection: Connection, minutes: number, onSilence: () => void): Connection {
  const { countEach, estimate, erase, endWrites } = connection

  async function answered<Result>(call: (limit: AbortSignal) => Promise<Result>): Promise<Result> {
    const silence = new AbortController()
    const timer = setTimeout(() => {
      silence.abort(silent(minutes))
      onSilence()
    }, minutes * 60_000)
    try {
      return await untilAborted(call(silence.signal), silence.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  /** The call, told to stop when its caller says so or when it is silent. */
  const asked = <Result, Options extends CallOptions>(
    call: (options: Options) => Promise<Result>,
    options = {} as Options,
  ) =>
    answered((limit) => call({ ...options, signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit }))

  async function* read(
    batches: AsyncIterable<readonly Row[]>,
    { signal }: CallOptions = {},
  ): AsyncGenerator<readonly Row[]> {
    const iterator = batches[Symbol.asyncIterator]()
    const breathe = breather()
    let hasEnded = false
    let isSilent = false
    let emptySince = performance.now()
    try {
      while (!hasEnded) {
        const next = await answered((limit) => {
          limit.addEventListener('abort', () => (isSilent = true), { once: true })
          return iterator.next()
        })
        hasEnded = next.done === true
        if (next.done) break
        if (next.value.length === 0) {
          // batches that hold nothing are no answer, and may come without an end
          if (performance.now() - emptySince > minutes * 60_000) throw silent(minutes, 'gave nothing but empty batches')
          await breathe()
          signal?.throwIfAborted()
          continue
        }
        yield next.value
        emptySince = performance.now()
      }
    } finally {
      const ended = hasEnded ? undefined : iterator.return?.()
      // what is silent does not end either
      if (isSilent) ended?.catch(() => {})
      else await ended
    }
  }

  return {
    get concurrency() {
      return connection.concurrency
    },
    lacks: () => connection.lacks?.() ?? [],
    ping: (options) => asked((of) => connection.ping(of), options),
    describe: (options) => asked((of) => connection.describe(of), options),
    read: (of, options) => read(connection.read(of, options), options),
    count: (counts, options) => asked((of) => connection.count(counts, of), options),
    ...(countEach && { countEach: (of, options) => asked((how) => countEach.call(connection, of, how), options) }),
    ...(estimate && { estimate: (of, options) => asked((how) => estimate.call(connection, of, how), options) }),
    ...(erase && { erase: (batch, options) => answered(() => erase.call(connection, batch, options)) }),
    ...(endWrites && { endWrites: (lock, options) => asked((how) => endWrites.call(connection, lock, how), options) }),
    close: () => connection.close(),
  }
}

function silent(minutes: number, what = 'gave no answer'): PrivacyError {
  return new PrivacyError(
    'connection_failed',
    `The database ${what} for ${counted(minutes, 'minute')}. Where a statement of it may take longer, raise execution.answerMinutes.`,
    { reason: 'timeout', transient: true },
  )
}
