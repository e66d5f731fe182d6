import { isPrivacyError, PrivacyError } from '../errors.js'

const mostAttempts = 100

/**
 * Repeats `attempt` (read, decide, write) until its write took effect. An attempt gives undefined when another write
 * came first. Throws `conflict` when other writes keep coming first.
 */
export async function untilWritten<Result>(
  kind: string,
  id: string | undefined,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let count = 0; count < mostAttempts; count++) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  const message = `Others keep changing the ${kind} '${id ?? ''}' at the same time: try again.`
  throw new PrivacyError('conflict', message, { kind, id: id ?? '' })
}

/** The error of a write that another one overtook. It undoes the transaction, and the caller repeats it. */
export function overtaken(kind: string, id: string): PrivacyError<'conflict'> {
  return new PrivacyError('conflict', `Another write changed the ${kind} '${id}' first: try again.`, { kind, id })
}

/** Whether a write took effect: a `conflict` of the storage says that another write came first. */
export async function tookEffect(write: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await write()) !== false
  } catch (error) {
    if (isPrivacyError(error, 'conflict')) return false
    throw error
  }
}
