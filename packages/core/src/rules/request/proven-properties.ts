import type { Issue } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import { isMailAddress } from '../../model/mail.js'

/** What a code that was mailed there proves. */
const verifiedProperty = 'email'

/** What keeps identities from being verified by one code, places from the position of the identity on. */
export function addressIssues(identities: readonly Identity[]): Issue[] {
  const addresses = identities.map((identity) => identity[verifiedProperty])
  return addresses.flatMap((address, index): Issue[] => {
    const loc = [index, verifiedProperty]
    if (address === undefined) {
      return [{ loc, msg: 'is required in every identity: the code goes there', type: 'missing' }]
    }
    if (typeof address !== 'string' || !isMailAddress(address)) {
      return [{ loc, msg: 'must be a mail address: the code goes there', type: 'invalid_value' }]
    }
    if (address === addresses[0]) return []
    return [{ loc, msg: 'must be the same in every identity: one code proves one address', type: 'invalid_value' }]
  })
}

/** Properties that somebody claims to have and nobody has checked, once the address has been verified. */
export function unverifiedProperties(identities: readonly Identity[]): string[] {
  return [...new Set(identities.flatMap(Object.keys))].filter((property) => property !== verifiedProperty).sort()
}

/** Properties that may find data by themselves; undefined: all of them, since somebody vouches for them. */
export function verifiedProperties(request: {
  readonly unproven?: readonly string[]
  readonly reviewedAt?: string
}): readonly string[] | undefined {
  return request.unproven === undefined || request.reviewedAt !== undefined ? undefined : [verifiedProperty]
}
