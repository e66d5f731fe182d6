import { filledSections, type PackageContent } from './package-content.js'

/**
 * Writes a package as one JSON object: `dataset:collection` → rows, a webhook's key → a list with what was uploaded.
 * What was not searched is listed under `not_searched` and left out when there is nothing to list. Rows are spliced in
 * as they were spooled, never parsed.
 */
export async function* jsonPackage(content: PackageContent): AsyncIterable<Uint8Array> {
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
  if (content.notSearched.length > 0) {
    yield Buffer.from(member(notSearchedName(content)) + JSON.stringify(content.notSearched, undefined, 1))
  }
  yield Buffer.from(separator === '{\n' ? '{}\n' : '\n}\n')
}

/** An address has a colon, but a webhook may be called anything: a member written twice would hide one of the two. */
function notSearchedName({ manual }: PackageContent): string {
  let name = 'not_searched'
  while (manual.some(({ webhook }) => webhook === name)) name += '_'
  return name
}
