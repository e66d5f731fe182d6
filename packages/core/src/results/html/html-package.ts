import { type PackageText, packageText } from '../../rules/package/package-text.js'
import { fileNames } from '../file-names.js'
import { filledSections, type PackageContent, type PackageSection } from '../package-content.js'
import { type ArchivedFile, zip } from '../zip.js'
import { collectionPage } from './collection-page.js'
import { type DescribedDataset, type Place, placesOf } from './described-dataset.js'
import { indexPage } from './index-page.js'
import { rowPages, survey } from './row-pages.js'
import { uploadPage } from './upload-page.js'

export interface HtmlPackageOptions {
  /** Default: English. */
  readonly texts?: PackageText
  readonly requestId: string
  readonly preparedAt: Date
  /** The organization that answers the request, in the heading of the index. */
  readonly organization?: string
  /** Descriptions of the package's content. An undescribed collection goes by its own names. */
  readonly datasets: readonly DescribedDataset[]
}

/**
 * Writes a package as a zip archive of pages that open from disk: `index.html`, and under `data/` the rows of each
 * collection, some hundreds to a page. Each collection is read twice: for its layout, then for its rows. One page is
 * held at a time.
 */
export function htmlPackage(content: PackageContent, options: HtmlPackageOptions): AsyncIterable<Uint8Array> {
  const { texts = packageText()() } = options
  const place = placesOf(options.datasets)
  const fileName = fileNames()
  const entries = filledSections(content).map((section) => {
    const file = fileName(section.address, '.html')
    return { section, place: place(section.address), rowCount: section.rowCount, file, path: `data/${file}` }
  })
  const uploads = content.manual.map((upload) => {
    const path = `data/${fileName(upload.webhook, '.html')}`
    return { upload, name: upload.name ?? upload.webhook, fieldCount: Object.keys(upload.data).length, path }
  })
  return zip(files(), options.preparedAt)

  async function* files(): AsyncGenerator<ArchivedFile> {
    yield page('index.html', indexPage({ ...options, texts, content, entries, uploads, place }))
    for (const entry of entries) yield* collectionFiles(texts, entry)
    for (const { upload, name, path } of uploads) yield page(path, uploadPage(texts, name, upload))
  }
}

interface CollectionEntry {
  readonly section: PackageSection
  readonly place: Place
  readonly file: string
}

async function* collectionFiles(
  texts: PackageText,
  { section, place, file }: CollectionEntry,
): AsyncGenerator<ArchivedFile> {
  const surveyed = await survey(section.rows())
  // No safe name has a tilde, so no page takes the name of another collection's.
  const nameOf = (number: number) => (number === 1 ? file : file.replace(/\.html$/, `~${number}.html`))
  let number = 0
  let before = 0
  for await (const rows of rowPages(section.rows())) {
    number++
    const common = { texts, place, rowCount: section.rowCount, survey: surveyed, file: nameOf }
    yield page(`data/${nameOf(number)}`, collectionPage({ ...common, page: number, rows, before }))
    before += rows.length
  }
}

function page(name: string, text: string): ArchivedFile {
  return { name, bytes: [Buffer.from(text)] }
}
