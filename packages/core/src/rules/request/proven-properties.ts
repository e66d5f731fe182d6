import type { Issue } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import { isMailAddress } from '../../model/mail.js'

/** The property that a mailed code proves. */
const verifiedProperty = 'email'

/** Reasons why one code cannot verify the identities. Each place starts with the position of the identity. */
export function addressIssues(identities: readonly Identity[]): Issue[] {
  const addresses = identities.map((identity) => identity[verifiedProperty])
  return addresses.flatMap((address, index): Issue[] => {
    const loc = [index, verifiedProperty]
    if (address === undefined) {
      return [{ loc, msg: 'is required in every identity: the code is sent there', type: 'missing' }]
    }
    if (typeof address !== 'string' || !isMailAddress(address)) {
      return [{ loc, msg: 'must be a mail address: the code is sent there', type: 'invalid_value' }]
    }
    if (address === addresses[0]) return []
    return [{ loc, msg: 'must be the same in every identity: one code proves one address', type: 'invalid_value' }]
  })
}

/** The unverified properties that remain after the address is verified. */
export function unverifiedProperties(identities: readonly Identity[]): string[] {
  return [...new Set(identities.flatMap(Object.keys))].filter((property) => property !== verifiedProperty).sort()
}

/** The verified properties, which may find data by themselves. Undefined: all are. */
export function verifiedProperties(request: {
  readonly unproven?: readonly string[]
  readonly reviewedAt?: string
}): readonly string[] | undefined {
  return request.unproven === undefined || request.reviewedAt !== undefined ? undefined : [verifiedProperty]
}
