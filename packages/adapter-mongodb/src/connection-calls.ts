import { type CallOptions, isPrivacyError } from '@habeas/core'
import { cancelledFailure, closedFailure, mongoFailure } from './mongo-failures.js'
import type { createMongoServer, MongoServer } from './mongo-server.js'
import { foundNoServer } from './network-failure.js'
import { untilAborted } from './until-aborted.js'
import { foundNoAnswer } from './within-time.js'

/** One client for all commands of a call: a session is known to its own client alone. The signal ends the call. */
export interface Call extends MongoServer {
  readonly signal: AbortSignal
}

/** How a connection does what it is asked for, until it is closed. */
export function connectionCalls(server: ReturnType<typeof createMongoServer>, closed: AbortSignal) {
  /** What a call ends with, as a failure that says what to mend. The next one uses another client where this one is lost. */
  function failed(error: unknown, doing: string, signal: AbortSignal, used: MongoServer | undefined): unknown {
    if (foundNoServer(error) || foundNoAnswer(error)) server.retire(used)
    if (closed.aborted && !isPrivacyError(error)) return closedFailure()
    return signal.aborted && !isPrivacyError(error)
      ? cancelledFailure(signal.reason)
      : mongoFailure(error, doing, server.given(used))
  }

  /** Begins work, and asks at its end whether the server was the primary. `doing` completes "while …". */
  function begun(doing: string, { signal: given }: CallOptions) {
    const signal = given ? AbortSignal.any([given, closed]) : closed
    let used: MongoServer | undefined
    return {
      open(): Call {
        signal.throwIfAborted()
        used = server.open()
        return { client: used.client, db: used.db, signal }
      },
      checkPrimary: () => untilAborted(server.traits(), signal),
      failed: (error: unknown) => failed(error, doing, signal, used),
      signal,
    }
  }

  async function call<Result>(
    doing: string,
    options: CallOptions,
    work: (call: Call) => Promise<Result>,
  ): Promise<Result> {
    const { open, checkPrimary, failed, signal } = begun(doing, options)
    try {
      const result = await untilAborted(work(open()), signal)
      await checkPrimary()
      return result
    } catch (error) {
      throw failed(error)
    }
  }

  return { begun, call }
}
