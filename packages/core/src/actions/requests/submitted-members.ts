import type { AcceptanceInput } from '../../model/acceptance.js'
import type { Submission } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'

/** Members that a row has in another form, or that are sealed beside it. */
type Elsewhere =
  | 'policyKey'
  | 'requestedAt'
  | 'identities'
  | 'encryptionKey'
  | 'encryptionKey256'
  | keyof AcceptanceInput

/** Every other member of a submission. A row has it under the same name. */
type Taken = { readonly [Name in Exclude<keyof Submission, Elsewhere>]: PrivacyRequestRow[Name] | undefined }

/** What the row of a request takes from its submission as it is. */
export function submittedMembers(submission: Submission): Partial<Pick<PrivacyRequestRow, keyof Taken>> {
  const { externalId, language, residualSearch } = submission
  const taken: Taken = { externalId, language, residualSearch: residualSearch || undefined }
  return Object.fromEntries(Object.entries(taken).filter(([, value]) => value !== undefined))
}
