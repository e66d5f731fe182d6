import { type PackageText, packageText } from '../rules/package/package-text.js'
import { filledSections, incompleteText, notSearchedEntries, type PackageContent } from './package-content.js'

/**
 * Writes a package as one JSON object: `dataset:collection` → rows, a webhook's key → a list with the upload. Missing
 * data follows – `not_searched`, `incomplete`, `unconfirmed`, `coverage` – each left out when it is empty. Rows are
 * spliced in as they were spooled, never parsed.
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
  const missing = {
    ...(notSearched.length > 0 && { not_searched: notSearched }),
    incomplete: incompleteText(texts, content),
    ...(unconfirmed.length > 0 && { unconfirmed }),
    ...(Object.keys(coverage).length > 0 && { coverage }),
  }
  for (const [name, value] of Object.entries(missing)) {
    if (value !== undefined) yield Buffer.from(member(freeName(content, name)) + JSON.stringify(value, undefined, 1))
  }
  yield Buffer.from(separator === '{\n' ? '{}\n' : '\n}\n')
}

/** An address has a colon, but a webhook may have any name: a member written twice would hide one of the two. */
function freeName({ manual }: PackageContent, wanted: string): string {
  let name = wanted
  while (manual.some(({ webhook }) => webhook === name)) name += '_'
  return name
}
