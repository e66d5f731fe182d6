import { isPrivacyError, PrivacyError } from '../errors.js'

const mostAttempts = 100

/**
 * Repeats `attempt` (read, decide, write) until its write was not overtaken by another one, which it says by undefined.
 * Throws `conflict` when others keep winning.
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

/** Whether a write took effect: a storage that says `conflict` was faster for somebody else. */
export async function tookEffect(write: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await write()) !== false
  } catch (error) {
    if (isPrivacyError(error, 'conflict')) return false
    throw error
  }
}
