import type { Identity } from '../../model/identity.js'
import { isMailAddress } from '../../model/mail.js'

/**
 * The recipient of a request's mails: the `email` of the first identity that has one. Otherwise the reason why there is
 * none.
 */
export function mailRecipient(identities: readonly Identity[]): { readonly to: string } | { readonly problem: string } {
  const email = identities.find((identity) => identity['email'] !== undefined)?.['email']
  if (email === undefined) return { problem: 'No identity of the request has an email.' }
  if (typeof email === 'string' && isMailAddress(email)) return { to: email }
  return { problem: 'The email of the request is not a valid mail address.' }
}
