import { PrivacyError } from '../errors.js'
import { isPlainObject } from '../model/clean-input.js'

/** What is refused once the service was closed, everywhere alike. */
export function closedError(): PrivacyError<'unavailable'> {
  return new PrivacyError('unavailable', 'The service was closed.')
}

/** Whatever answers at once has no place among actions. */
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
 * The same actions, which reject once `closed` aborts: nobody would run what is asked for then. What is no function
 * stays as it is.
 */
export function whileOpen<Actions extends object>(
  actions: Actions & Asynchronous<Actions>,
  closed: AbortSignal,
): Actions {
  const guarded = Object.entries(actions).map(([name, member]) => {
    if (isPlainObject(member)) return [name, whileOpen<Record<string, unknown>>(member, closed)]
    if (typeof member !== 'function') return [name, member]
    return [name, async (...given: unknown[]) => (closed.aborted ? Promise.reject(closedError()) : member(...given))]
  })
  return Object.fromEntries(guarded)
}

/** The same for what gives its answer piece by piece. */
export function streamWhileOpen<Given extends unknown[], Piece>(
  read: (...given: Given) => AsyncIterable<Piece>,
  closed: AbortSignal,
) {
  return async function* (...given: Given): AsyncIterable<Piece> {
    if (closed.aborted) throw closedError()
    yield* read(...given)
  }
}
