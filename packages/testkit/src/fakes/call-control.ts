import { type CountEach, type CountRows, type Erase, type Estimated, PrivacyError, type Read } from '@habeas/core'

export type MemoryOperation =
  | 'connect'
  | 'ping'
  | 'describe'
  | 'read'
  | 'count'
  | 'countEach'
  | 'estimate'
  | 'erase'
  | 'endWrites'
  | 'close'

/** One call to a connector, with copies: the caller may reuse packed key columns. */
export interface MemoryCall {
  readonly operation: MemoryOperation
  readonly read?: Read
  readonly counts?: readonly CountRows[]
  readonly countEach?: CountEach
  readonly estimated?: Estimated
  readonly erase?: Erase
  /** Of an `endWrites`. */
  readonly lock?: string
  /** True for an `erase` that rolls back. */
  readonly rollBack?: boolean
}

/** The calls to which a failure or a gate applies; members that are left out match any call. */
export interface CallFilter {
  readonly operation?: MemoryOperation
  readonly collection?: string
  readonly rollBack?: boolean
}

/** Whether a call meets a failure or a gate before it does anything, or after an `erase` has committed. */
export interface CallMoment {
  /** Default: false. */
  readonly afterWriting?: boolean
}

export interface PlannedFailure extends CallFilter, CallMoment {
  /** Default: `connection_failed` with the reason `connection_lost`. */
  readonly error?: unknown
  /** How many calls fail. Default: 1. */
  readonly times?: number
  /** How many batches a read gives before it fails. Default: 0. */
  readonly afterBatches?: number
}

/** Holds calls until it is opened. */
export interface Gate {
  /** Resolves when the first call has reached the gate. */
  readonly reached: Promise<void>
  /** How many calls wait. */
  readonly waiting: number
  open(): void
}

export interface CallControl {
  readonly calls: MemoryCall[]
  /** Makes the next matching calls fail. Failures planned earlier are used up first. */
  failNext(failure: PlannedFailure): void
  /** Makes matching calls wait, each step of a read included, until the gate is opened. */
  hold(filter?: CallFilter & CallMoment): Gate
}

/** A call on its way through the control. */
export interface ControlledCall {
  /** Waits at closed gates, then throws the planned failure. Call it at the start and after each batch. */
  step(): Promise<void>
  /** The same for gates and failures that apply after writing. */
  written(): Promise<void>
}

const fits = (filter: CallFilter, call: MemoryCall): boolean => {
  const { operation, read, counts = [], countEach, erase, rollBack = false } = call
  const collections = [read, countEach, erase, ...counts].map((asked) => asked?.collection)
  return (
    (filter.operation === undefined || filter.operation === operation) &&
    (filter.collection === undefined || collections.includes(filter.collection)) &&
    (filter.rollBack === undefined || filter.rollBack === rollBack)
  )
}

const connectionLost = (): PrivacyError =>
  new PrivacyError('connection_failed', 'The connection was lost, as the test planned', { reason: 'connection_lost' })

/** Rejects with the signal's reason as soon as it aborts, without leaving a listener behind. */
const orAborted = async (wait: Promise<void>, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort)
  try {
    await Promise.race([wait, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

interface ClosedGate extends Gate {
  readonly filter: CallFilter & CallMoment
  pass(signal: AbortSignal): Promise<void>
}

const closedGate = (filter: CallFilter & CallMoment, whenOpened: (gate: ClosedGate) => void): ClosedGate => {
  let waiting = 0
  let reach = () => {}
  let release = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const opened = new Promise<void>((resolve) => {
    release = resolve
  })
  const gate: ClosedGate = {
    filter,
    reached,
    get waiting() {
      return waiting
    },
    open() {
      whenOpened(gate)
      release()
    },
    async pass(signal) {
      waiting += 1
      reach()
      try {
        await orAborted(opened, signal)
      } finally {
        waiting -= 1
      }
    },
  }
  return gate
}

/** Records calls and lets a test fail them or hold them. */
export const callControl = (): CallControl & { begin(call: MemoryCall, signal: AbortSignal): ControlledCall } => {
  const calls: MemoryCall[] = []
  const gates = new Set<ClosedGate>()
  let failures: (PlannedFailure & { left: number })[] = []

  const takeFailure = (call: MemoryCall): PlannedFailure | undefined => {
    const failure = failures.find((planned) => fits(planned, call))
    if (failure !== undefined) failure.left -= 1
    failures = failures.filter(({ left }) => left > 0)
    return failure
  }

  return {
    calls,
    failNext(failure) {
      failures.push({ ...failure, left: failure.times ?? 1 })
    },
    hold(filter = {}) {
      const gate = closedGate(filter, (opened) => gates.delete(opened))
      gates.add(gate)
      return gate
    },
    begin(call, signal) {
      calls.push(call)
      const failure = takeFailure(call)
      let batchesLeft = failure?.afterBatches ?? 0
      const passGates = async (afterWriting: boolean) => {
        signal.throwIfAborted()
        for (const gate of gates) {
          if ((gate.filter.afterWriting ?? false) === afterWriting && fits(gate.filter, call)) await gate.pass(signal)
        }
      }
      return {
        async step() {
          await passGates(false)
          if (failure === undefined || failure.afterWriting === true) return
          if (batchesLeft === 0) throw failure.error ?? connectionLost()
          batchesLeft -= 1
        },
        async written() {
          await passGates(true)
          if (failure?.afterWriting === true) throw failure.error ?? connectionLost()
        },
      }
    },
  }
}
