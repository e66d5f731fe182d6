import { isPrivacyError } from '@habeas/core'

/** How a command ends: nothing to say, something was found, wrong usage, or the service or a database failed. */
export const exitCodes = { fine: 0, findings: 1, usage: 2, service: 3 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends a command with a sentence that says what to do. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

export const wrongUsage = (message: string, options?: ErrorOptions) =>
  new CommandFailure(exitCodes.usage, message, options)
export const failed = (message: string, options?: ErrorOptions) =>
  new CommandFailure(exitCodes.service, message, options)

const ofUsage = new Set<string>([
  ...['invalid_input', 'not_found', 'conflict', 'invalid_state', 'misconfigured', 'unsupported', 'gone'],
  'verification_failed',
])

/** The sentence and the exit code of an error. */
export function endOf(error: unknown): { readonly message: string; readonly exitCode: ExitCode } {
  if (error instanceof CommandFailure) return { message: error.message, exitCode: error.exitCode }
  if (isPrivacyError(error)) {
    const exitCode = ofUsage.has(error.code) ? exitCodes.usage : exitCodes.service
    return { message: error.message, exitCode }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { message: `Something failed that no command expects: ${message}`, exitCode: exitCodes.service }
}
