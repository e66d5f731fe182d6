import type { PackageTextKey } from '../../model/package-texts.js'
import type { PackageText } from '../../rules/package/package-text.js'

/** Reasons of a plan in words for the person of the request. */
const sentences: ReadonlyMap<string, PackageTextKey> = new Map([
  ['no connection', 'reason_no_connection'],
  ['disabled', 'reason_disabled'],
  ['skip_processing', 'reason_skip_processing'],
  ['members not searchable', 'reason_members_not_searchable'],
  ['columns not searchable', 'reason_members_not_searchable'],
  ['identity not provided', 'reason_identity_not_provided'],
  ['identity not proven', 'reason_identity_not_proven'],
  ['identity not confirmed', 'reason_identity_not_confirmed'],
  ['behind', 'reason_behind'],
  ['unreachable', 'reason_unreachable'],
  ['other spellings', 'reason_other_spellings'],
])

/** A whole sentence for `reason` or `reason: detail`; any other reason is given as it is. */
export function reasonText(texts: PackageText, reason: string): string {
  const [, name = '', detail] = /^([^:]*)(?:: (.*))?$/s.exec(reason) ?? []
  const key = sentences.get(name)
  return key === undefined ? reason : texts.say(key, { detail })
}
