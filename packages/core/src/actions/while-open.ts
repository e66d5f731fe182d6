import { isPrivacyError, PrivacyError } from '../errors.js'
import { isPlainObject } from '../model/clean-input.js'

/** The error of every call after `close()`. */
export function closedError(): PrivacyError<'unavailable'> {
  return new PrivacyError('unavailable', 'The service was closed.')
}

/** Undefined while nothing has to be waited for. */
export type Ready = () => Promise<void> | undefined

/** Actions must be asynchronous. */
type Asynchronous<Actions> = {
  readonly [Name in keyof Actions]: Actions[Name] extends (...given: never[]) => infer Answer
    ? Answer extends Promise<unknown>
      ? Actions[Name]
      : never
    : Actions[Name] extends object
      ? Asynchronous<Actions[Name]>
      : Actions[Name]
}

/**
 * The same actions, rejecting once `closed` aborts, because nothing would run their requests then. Each waits for `ready`,
 * until that is undefined. Members that are not functions stay as they are. `failed` is told of errors that nobody has foreseen.
 */
export function whileOpen<Actions extends object>(
  actions: Actions & Asynchronous<Actions>,
  closed: AbortSignal,
  ready: Ready = () => undefined,
  failed: (call: string, error: unknown) => void = () => {},
  above = '',
): Actions {
  const guarded = Object.entries(actions).map(([name, member]) => {
    if (isPlainObject(member))
      return [name, whileOpen<Record<string, unknown>>(member, closed, ready, failed, `${above}${name}.`)]
    if (typeof member !== 'function') return [name, member]
    const call = async (...given: unknown[]) => {
      if (closed.aborted) throw closedError()
      try {
        const waiting = ready()
        if (waiting !== undefined) {
          await waiting
          if (closed.aborted) throw closedError()
        }
        return await member(...given)
      } catch (error) {
        if (!isPrivacyError(error) || error.code === 'internal') failed(`${above}${name}`, error)
        throw error
      }
    }
    return [name, call]
  })
  return Object.fromEntries(guarded)
}

/** The same for actions that give their answer piece by piece. */
export function streamWhileOpen<Given extends unknown[], Piece>(
  read: (...given: Given) => AsyncIterable<Piece>,
  closed: AbortSignal,
  ready: Ready,
) {
  return async function* (...given: Given): AsyncIterable<Piece> {
    if (closed.aborted) throw closedError()
    await ready()
    yield* read(...given)
  }
}
