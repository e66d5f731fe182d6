import { languageTag } from '../../model/mail-texts.js'

/** A language tag and its more general forms, as in the lookup of RFC 4647: de-AT, de. */
export function nearestLanguages(language: string | undefined): string[] {
  const tag = language === undefined ? undefined : languageTag(language)
  const subtags = tag?.split('-') ?? []
  const found: string[] = []
  for (let length = subtags.length; length > 0; length -= 1) {
    if (subtags[length - 1]?.length !== 1) found.push(subtags.slice(0, length).join('-'))
  }
  return found
}
