import { failure } from './connection-failure.js'

/** That the server took a command and never answered. Its sockets are not used any more. */
class Unanswered extends Error {}

/** A command that is given up after a time. Nobody knows whether it took effect, so that its batch is tried again. */
export async function withinTime<Result>(command: Promise<Result>, ms: number | undefined): Promise<Result> {
  if (ms === undefined) return command
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unansweredFailure()), Math.min(Math.max(ms, 1), 2 ** 31 - 1))
  })
  command.catch(() => {})
  try {
    return await Promise.race([command, late])
  } finally {
    clearTimeout(timer)
  }
}

export function foundNoAnswer(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Unanswered
}

function unansweredFailure() {
  const message =
    'The server gave no answer while the erasure was still left to this worker: try again, and look at the log of the server if that repeats.'
  return failure('timeout', message, new Unanswered(), 'transient')
}
