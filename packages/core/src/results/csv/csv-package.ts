import { type PackageText, packageText } from '../../rules/package/package-text.js'
import { fileNames } from '../file-names.js'
import { encrypted, type PackageCipher } from '../package-cipher.js'
import {
  filledSections,
  incompleteText,
  nothingFoundText,
  notSearchedEntries,
  type PackageContent,
  type PackageSection,
} from '../package-content.js'
import { rowTexts } from '../row-texts.js'
import { pieceWriter, textBytes } from '../text-bytes.js'
import { type ArchivedFile, zip } from '../zip.js'
import { type CsvColumn, cellsOf, columnCollector } from './csv-column.js'
import { csvLine } from './csv-line.js'

export interface CsvPackageOptions {
  /** The time of the files in the archive. */
  readonly preparedAt: Date
  /** Encrypts each file with a nonce of its own; the archive itself stays open. */
  readonly cipher?: PackageCipher
  /** Default: English. */
  readonly texts?: PackageText
}

/**
 * Writes a package as a zip archive with one CSV file per collection and webhook, and, where it applies, `nothing_found.txt`,
 * `searched.csv`, `incomplete.txt`, `not_searched.csv`, `unconfirmed.csv` and `coverage.csv`. Each collection is read twice: for its
 * columns, then for its rows.
 */
export function csvPackage(
  content: PackageContent,
  { preparedAt, cipher, texts = packageText()() }: CsvPackageOptions,
): AsyncIterable<Uint8Array> {
  const fileName = fileNames()
  const file = (name: string, ending: string, text: AsyncIterable<string>): ArchivedFile => {
    const bytes = textBytes(text)
    return { name: fileName(name, ending), bytes: cipher ? encrypted(cipher, bytes) : bytes }
  }
  return zip(files(), preparedAt)

  function* files(): Generator<ArchivedFile> {
    const sections = filledSections(content)
    const { manual } = content
    const missing = [...missingFiles()]
    for (const section of sections) yield file(section.address, '.csv', collectionLines(section))
    for (const { webhook, data } of manual) yield file(webhook, '.csv', uploadLines(data))
    yield* missing
  }

  /** The files about missing data, and why it is missing. */
  function* missingFiles(): Generator<ArchivedFile> {
    const table = (name: string, ...lines: readonly (readonly string[])[]) =>
      file(name, '.csv', once(lines.map(csvLine).join('')))
    const nothingFound = nothingFoundText(texts, content)
    if (nothingFound !== undefined) {
      yield file('nothing_found', '.txt', once(`${nothingFound}\n`))
      yield table('searched', ['collection'], ...content.searched.map((address) => [address]))
    }
    const sentence = incompleteText(texts, content)
    if (sentence !== undefined) yield file('incomplete', '.txt', once(`${sentence}\n`))
    const notSearched = notSearchedEntries(content).map(({ collection, reason }) => [collection, reason])
    if (notSearched.length > 0) yield table('not_searched', ['collection', 'reason'], ...notSearched)
    const unconfirmed = content.unconfirmed.map((property) => [property])
    if (unconfirmed.length > 0) yield table('unconfirmed', ['property'], ...unconfirmed)
    const gaps = Object.entries<readonly string[]>({ ...content.coverage }).flatMap(([kind, names]) =>
      names.map((name) => [name, kind]),
    )
    if (gaps.length > 0) yield table('coverage', ['name', 'kind'], ...gaps)
  }
}

async function* collectionLines({ rows }: PackageSection): AsyncIterable<string> {
  const found = columnCollector()
  for await (const texts of rowTexts(rows())) for (const text of texts) found.add(JSON.parse(text))
  const columns = found.columns()
  const out = pieceWriter()
  out.write(headings(columns))
  for await (const texts of rowTexts(rows())) {
    for (const text of texts) {
      out.write(csvLine(cellsOf(JSON.parse(text), columns)))
      if (out.full) yield out.take()
    }
  }
  yield out.take()
}

function uploadLines(data: Readonly<Record<string, unknown>>): AsyncIterable<string> {
  const found = columnCollector()
  found.add(data)
  const columns = found.columns()
  return once(columns.length === 0 ? '' : headings(columns) + csvLine(cellsOf(data, columns)))
}

function headings(columns: readonly CsvColumn[]): string {
  return csvLine(columns.map(({ heading }) => heading))
}

async function* once(text: string): AsyncIterable<string> {
  yield text
}
