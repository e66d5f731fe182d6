import type { PackageFormat, Rule } from '../../model/policy.js'
import type { PackageFile } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { csvPackage } from '../../results/csv/csv-package.js'
import { type DataMap, describedDatasets } from '../../results/described-datasets.js'
import { htmlPackage } from '../../results/html/html-package.js'
import { jsonPackage } from '../../results/json-package.js'
import { encrypted, type PackageCipher } from '../../results/package-cipher.js'
import type { ManualUpload, PackageContent, PackageDoubts, PackageSection } from '../../results/package-content.js'
import type { PackageText } from '../../rules/package/package-text.js'
import type { Plan } from '../../rules/plan/plan.js'
import { unsearchedReason } from '../../rules/plan/plan-wording.js'
import { unservedSpellings } from '../../rules/plan/served-spellings.js'
import { unsearchableIdentities } from '../../rules/plan/unsearchable-identities.js'
import type { CollectionOutcome } from '../find/run-component.js'
import type { SpoolRoom } from '../find/spool.js'

type ClaimedRequest = Pick<PrivacyRequestRow, 'id' | 'fencingToken'>

/** The folder of all blobs of a request. */
export function requestBlobs(requestId: string): string {
  return `requests/${requestId}`
}

/** The file ending and media type of each format. */
const kinds: Readonly<Record<PackageFormat, { readonly ending: string; readonly mediaType: string }>> = {
  json: { ending: '.json', mediaType: 'application/json' },
  csv: { ending: '.zip', mediaType: 'application/zip' },
  html: { ending: '.zip', mediaType: 'application/zip' },
}

/** The folder of the blobs of one run, named by its fencing token. */
export function runBlobs({ id, fencingToken = 0 }: ClaimedRequest): string {
  return `${requestBlobs(id)}/${fencingToken}`
}

/** The blob key of the package of one access rule in one format. The last run that claimed the request has written it. */
export function packageKey(request: ClaimedRequest, { rule, format }: Pick<PackageFile, 'rule' | 'format'>): string {
  return `${runBlobs(request)}/package/${rule}/${format}${kinds[format].ending}`
}

export interface PackageOptions {
  readonly plan: Plan
  readonly outcomes: ReadonlyMap<string, CollectionOutcome>
  readonly manual: readonly ManualUpload[]
  /** What was left out, besides collections that were not searched. */
  readonly doubts: PackageDoubts
  readonly room: SpoolRoom
  readonly rules: readonly Rule[]
  readonly request: ClaimedRequest
  /** The texts in packages for people. */
  readonly texts: PackageText
  /** The same for every attempt, so that a retry makes the same package. */
  readonly preparedAt: Date
  /** Encrypts with the caller's key. */
  readonly cipher?: PackageCipher | undefined
  /** Called when a package explains its data. */
  readonly dataMap: () => Promise<DataMap>
}

/** Writes one package per access rule and format, as streams from the spools. No package overwrites another. */
export async function writePackages(options: PackageOptions): Promise<readonly PackageFile[]> {
  const { room, request, rules } = options
  const requestId = request.id
  const wanted = rules.flatMap(({ service_key: rule, format: formats }) => formats.map((format) => ({ rule, format })))
  const files: PackageFile[] = []
  for (const { rule, format } of wanted) {
    const { ending, mediaType } = kinds[format]
    let size = 0
    const counted = async function* () {
      for await (const part of await written(contentFor(rule, options), format, options)) {
        size += part.length
        yield part
      }
    }
    await room.write(packageKey(request, { rule, format }), counted())
    const isOnly = wanted.length === 1
    const name = isOnly
      ? `${requestId}${ending}`
      : `${requestId}-${rule}${format === 'json' ? '' : `-${format}`}${ending}`
    // A JSON package that is encrypted for the person is a base64 text.
    const isText = format === 'json' && options.cipher !== undefined
    files.push({ rule, format, name, mediaType: isText ? 'text/plain' : mediaType, size })
  }
  return files
}

/** Copies packages that an earlier run of the request has written to the run that holds the claim now. */
export async function takeOverPackages(
  room: SpoolRoom,
  request: ClaimedRequest,
  { fencingToken, files }: { readonly fencingToken: number; readonly files: readonly PackageFile[] },
): Promise<readonly PackageFile[]> {
  if (fencingToken === request.fencingToken) return files
  for (const file of files) {
    await room.write(packageKey(request, file), room.readBlob(packageKey({ id: request.id, fencingToken }, file)))
  }
  return files
}

function contentFor(rule: string, { plan, outcomes, manual, doubts, room }: PackageOptions): PackageContent {
  const sections = [...outcomes.keys()].sort().flatMap((address): PackageSection[] => {
    const spooled = outcomes.get(address)?.spools.find((spool) => spool.rule === rule)?.spooled
    return spooled ? [{ address, rowCount: spooled.rows, rows: () => room.read(spooled) }] : []
  })
  const notSearched = plan.unsearched
    .filter(({ targeted }) => targeted)
    .map((each) => ({ collection: each.address, reason: unsearchedReason(each) }))
  const inPart = plan.collections.flatMap((collection) => {
    const reasons = [unservedSpellings(collection), unsearchableIdentities(plan, collection)]
    return reasons.flatMap((reason) => (reason === undefined ? [] : [{ collection: collection.address, reason }]))
  })
  const searched = plan.collections
    .filter(({ deliver }) => deliver.some((each) => each.rule === rule))
    .map(({ address }) => address)
    .sort()
  return { sections, manual, searched, notSearched: [...notSearched, ...inPart], ...doubts }
}

async function written(
  content: PackageContent,
  format: PackageFormat,
  { preparedAt, cipher, request, texts, dataMap }: PackageOptions,
): Promise<AsyncIterable<Uint8Array>> {
  if (format === 'json') {
    const text = jsonPackage(content, texts)
    return cipher ? encrypted(cipher, text) : text
  }
  if (format === 'csv') return csvPackage(content, { preparedAt, texts, ...(cipher && { cipher }) })
  const addresses = new Set([...content.searched, ...content.sections.map(({ address }) => address)])
  const datasets = describedDatasets(await dataMap(), addresses)
  return htmlPackage(content, { texts, requestId: request.id, preparedAt, datasets })
}
