import { type PackageText, packageText } from '../rules/package/package-text.js'
import {
  filledSections,
  incompleteText,
  nothingFoundText,
  notSearchedEntries,
  type PackageContent,
} from './package-content.js'

/**
 * Writes a package as one JSON object: `dataset:collection` → rows, a webhook's key → a list with the upload. What was not
 * found follows – `nothing_found` with what was `searched`, `not_searched`, `incomplete`, `unconfirmed`, `coverage` – each left
 * out when it does not apply. Rows are spliced in as they were spooled, never parsed.
 */
export async function* jsonPackage(
  content: PackageContent,
  texts: PackageText = packageText()(),
): AsyncIterable<Uint8Array> {
  let separator = '{\n'
  const member = (name: string) => {
    const text = `${separator}${JSON.stringify(name)}: `
    separator = ',\n'
    return text
  }
  for (const { address, rows } of filledSections(content)) {
    yield Buffer.from(`${member(address)}[\n`)
    yield* rows()
    yield Buffer.from('\n]')
  }
  for (const { webhook, data } of content.manual) {
    yield Buffer.from(`${member(webhook)}[\n${JSON.stringify(data)}\n]`)
  }
  const { coverage, unconfirmed } = content
  const notSearched = notSearchedEntries(content)
  const nothingFound = nothingFoundText(texts, content)
  const said = {
    nothing_found: nothingFound,
    ...(nothingFound !== undefined && { searched: content.searched }),
    ...(notSearched.length > 0 && { not_searched: notSearched }),
    incomplete: incompleteText(texts, content),
    ...(unconfirmed.length > 0 && { unconfirmed }),
    ...(Object.keys(coverage).length > 0 && { coverage }),
  }
  for (const [name, value] of Object.entries(said)) {
    if (value !== undefined) yield Buffer.from(member(freeName(content, name)) + JSON.stringify(value, undefined, 1))
  }
  yield Buffer.from('\n}\n')
}

/** An address has a colon, but a webhook may have any name: a member written twice would hide one of the two. */
function freeName({ manual }: PackageContent, wanted: string): string {
  let name = wanted
  while (manual.some(({ webhook }) => webhook === name)) name += '_'
  return name
}
