import assert from 'node:assert/strict'
import { type ErrorCode, isPrivacyError, type PrivacyError } from '@habeas/core'

/** The `PrivacyError` of this code that the promise rejects with; anything else fails the case. */
export const rejection = async <Code extends ErrorCode>(
  promise: Promise<unknown>,
  code: Code,
): Promise<PrivacyError<Code>> => {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) assert.fail(`resolved instead of rejecting with ${code}`)
  assert.ok(isPrivacyError(outcome.error), `rejected with ${String(outcome.error)} instead of a PrivacyError`)
  assert.equal(outcome.error.code, code)
  return outcome.error as unknown as PrivacyError<Code>
}
