import type { ErrorTrace } from '../../model/error-trace.js'
import type { PrivacyEvent } from '../../model/privacy-event.js'
import type { Logger } from '../../ports/logger.js'

type Level = keyof Logger
type Line = readonly [level: Level, message: string, fields: Readonly<Record<string, unknown>>]

/** A call of the service that failed for a reason that nobody has foreseen. Its caller is told `internal`, and no more. */
export type FailedCall = { readonly type: 'call'; readonly call: string } & ErrorTrace

/** Writes each event as one line. A logger that throws ends nothing. */
export function logEvents(logger: Logger): (event: PrivacyEvent | FailedCall) => void {
  return (event) => {
    const line = lineOf(event)
    if (!line) return
    const [level, message, fields] = line
    try {
      const told: unknown = logger[level](oneLine(fields), message)
      // Nor does one that writes asynchronously.
      if (told instanceof Promise) told.catch(() => {})
    } catch {
      // There is nowhere left to say so.
    }
  }
}

/** Under this name an object says how a console prints it. */
const inspected = Symbol.for('nodejs.util.inspect.custom')

/** Fields that a console prints in one line. To other loggers they are a plain object. Few lines are printed at most levels. */
function oneLine(fields: Readonly<Record<string, unknown>>): object {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  const value = () => ['habeas', ...said.map(([name, value]) => `${name}=${printed(value)}`)].join(' ')
  return Object.defineProperty(Object.fromEntries(said), inspected, { value, enumerable: false })
}

function printed(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

/** Values without blanks stand as they are. */
function quoted(value: string): string {
  return /^[\w:./@+-]+$/.test(value) ? value : JSON.stringify(value)
}

function lineOf(event: PrivacyEvent | FailedCall): Line | undefined {
  switch (event.type) {
    case 'request': {
      const { type: _, step = 'changed', message: reason, ...fields } = event
      const [level, message] = requestLines[step]
      const isError = step === 'ended' && event.status === 'error'
      return [
        isError ? 'error' : level,
        `${message} ${step === 'ended' || step === 'changed' ? event.status : ''}`.trim(),
        { ...fields, step, reason },
      ]
    }
    case 'collection': {
      const { type: _, dataset, collection, message: reason, ...fields } = event
      const hasBegun = event.status === 'in_processing' || event.status === 'retrying'
      const level = event.status === 'error' ? 'warn' : hasBegun ? 'debug' : 'info'
      const message = hasBegun ? 'A collection has begun' : `A collection has ended: ${event.status}`
      return [level, message, { ...fields, collection: `${dataset}:${collection}`, reason }]
    }
    case 'mail': {
      const { type: _, message: reason, ...fields } = event
      const [level, message] = mailLines[event.status]
      return [level, message, { ...fields, reason }]
    }
    case 'service': {
      const { type: _, ...fields } = event
      const fails = event.status === 'failing'
      // Nothing tests a connection again by itself.
      const failed =
        event.part === 'connection'
          ? 'A connection failed'
          : event.code === 'misconfigured'
            ? 'This process lacks what the others have, such as a key, and does nothing until it has it: health() says what to do'
            : 'Something failed, and is tried again'
      return [fails ? 'warn' : 'info', fails ? failed : 'It works again', fields]
    }
    case 'call': {
      const { type: _, ...fields } = event
      return ['error', 'A call failed', fields]
    }
    // They come several times a second.
    case 'rows':
      return undefined
  }
}

const requestLines = {
  submitted: ['info', 'A request was submitted'],
  changed: ['info', 'A request is now'],
  claimed: ['info', 'A run has claimed the request'],
  taken_over: ['warn', 'A run has taken the request over, since the run before it fell silent'],
  waiting: ['info', 'The request waits for another one'],
  retrying: ['warn', 'The run failed, and is tried again'],
  handed_back: ['info', 'The run was stopped, and the request handed back'],
  lost: ['warn', 'The run has stopped, since the request was taken over'],
  ended: ['info', 'The run has ended:'],
} as const satisfies Record<string, readonly [Level, string]>

const mailLines = {
  waiting: ['warn', 'A mail was not sent, and is tried again'],
  sent: ['info', 'A mail was sent'],
  failed: ['error', 'A mail was not sent'],
  not_sent: ['warn', 'A mail was not written'],
} as const satisfies Record<string, readonly [Level, string]>
