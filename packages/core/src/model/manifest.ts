import type { Issue } from '../errors.js'
import { isPlainObject } from './clean-input.js'
import { deriveKey, keySchema } from './key.js'
import { invalidInput } from './parse-input.js'
import { type PlaceOf, readYamlByPieces } from './read-yaml.js'

/**
 * The top-level names of a manifest, in the order in which they are applied. A kind comes after the kinds it refers to.
 * Systems come before datasets, since every dataset would otherwise be an orphan while it is written.
 */
export const manifestKinds = [
  'organization',
  'registry',
  'data_category',
  'data_use',
  'data_subject',
  'data_qualifier',
  'system',
  'dataset',
  'policy',
] as const

export type ManifestKind = (typeof manifestKinds)[number]

/** The most items in one manifest, over all kinds. */
export const mostManifestItems = 10_000

/** One of several files that are one manifest together. */
export interface ManifestFile {
  /** Its name, for errors. */
  readonly file: string
  /** YAML 1.2 or JSON. */
  readonly text: string
}

export interface ManifestItem {
  readonly kind: ManifestKind
  readonly input: unknown
  /** The path of the item in its manifest or file: members and positions. */
  readonly loc: Issue['loc']
  /** The key that the item names, or that its name gives. */
  readonly key?: string
}

export interface Manifest {
  /** The kinds it holds, for example to check the permissions of its sender. */
  readonly kinds: readonly ManifestKind[]
  readonly items: readonly ManifestItem[]
}

/** Where a value stands in its text, and in which file. Empty where it was no text. */
type TextPlace = Pick<Issue, 'file' | 'line' | 'column'>

/** What one text or value of a manifest holds. */
interface Source {
  readonly document: unknown
  place(loc: Issue['loc']): TextPlace
}

const sources = new WeakMap<ManifestItem, Source>()

/** Where a place of an item, from the top of its manifest, stands in its text. */
export function textPlaceOf(item: ManifestItem, loc: Issue['loc']): TextPlace {
  return sources.get(item)?.place(loc) ?? {}
}

/**
 * Reads the outer shape of a manifest from text (YAML 1.2 or JSON), from several files or from a value. The action that
 * stores an item reads it. Throws `invalid_input` with every bad place, or with the line and column where a text breaks off.
 */
export function* readManifest(input: unknown): Generator<void, Manifest> {
  const issues: Issue[] = []
  const read: Source[] = []
  for (const part of isFiles(input) ? input : [input]) {
    const source = yield* readSource(part, issues)
    const found = source ? issuesOf(source) : []
    issues.push(...found)
    if (source && found.length === 0) read.push(source)
  }
  if (issues.length > 0) throw invalidInput('manifest', issues)

  const kinds = manifestKinds.filter((kind) => read.some(({ document }) => Object.hasOwn(document as object, kind)))
  const count = kinds.reduce((sum, kind) => read.reduce((before, source) => before + countOf(kind, source), sum), 0)
  if (count > mostManifestItems) {
    const msg = `has ${count} items, more than the ${mostManifestItems} allowed in one call: split it`
    throw invalidInput('manifest', [{ loc: [], msg, type: 'too_big' }])
  }
  return { kinds, items: kinds.flatMap((kind) => read.flatMap((source) => itemsOf(kind, source))) }
}

const someOf = `some of ${manifestKinds.join(', ')} at its top`

function isFiles(input: unknown): input is readonly ManifestFile[] {
  const isFile = (part: unknown) =>
    isPlainObject(part) && typeof part['file'] === 'string' && typeof part['text'] === 'string'
  return Array.isArray(input) && input.length > 0 && input.every(isFile)
}

/** The value of a text, or an issue that says why there is none. */
function* readSource(part: unknown, issues: Issue[]): Generator<void, Source | undefined> {
  const file = typeof part === 'string' ? { text: part } : isFiles([part]) ? (part as ManifestFile) : undefined
  if (!file) return { document: part, place: () => ({}) }
  const named = 'file' in file ? { file: file.file } : {}
  const reading = yield* readYamlByPieces(file.text)
  if ('problem' in reading) {
    const { problem, ...place } = reading
    issues.push({ loc: [], msg: `cannot be read as YAML or JSON: ${problem}`, type: 'malformed', ...named, ...place })
    return undefined
  }
  const { value, placeOf }: { value: unknown; placeOf: PlaceOf } = reading
  return { document: value, place: (loc) => ({ ...named, ...placeOf(loc) }) }
}

function issuesOf({ document, place }: Source): Issue[] {
  const issue = (loc: Issue['loc'], msg: string, type: string): Issue => ({ loc, msg, type, ...place(loc) })
  if (!isPlainObject(document)) return [issue([], `must be an object with ${someOf}`, 'invalid_type')]
  const names = Object.keys(document)
  if (names.length === 0) return [issue([], `is empty: it must have ${someOf}`, 'missing')]
  return names.flatMap((name): Issue[] => {
    if (!manifestKinds.includes(name as ManifestKind)) {
      const { loc: _, ...unknown } = issue([name], `is not known here: a manifest has ${someOf}`, 'unknown_member')
      return [{ loc: [name.slice(0, 255)], ...unknown }]
    }
    const value = document[name]
    if (value === null || Array.isArray(value) || isPlainObject(value)) return []
    return [issue([name], 'must be a list or one object', 'invalid_type')]
  })
}

function countOf(kind: ManifestKind, { document }: Source): number {
  const value = (document as Record<string, unknown>)[kind]
  return Array.isArray(value) ? value.length : value ? 1 : 0
}

function itemsOf(kind: ManifestKind, source: Source): ManifestItem[] {
  const value = (source.document as Record<string, unknown>)[kind]
  if (value === null || value === undefined) return []
  const items: ManifestItem[] = Array.isArray(value)
    ? value.map((input, index) => ({ kind, input, loc: [kind, index], ...keyOf(input) }))
    : [{ kind, input: value, loc: [kind], ...keyOf(value) }]
  for (const item of items) sources.set(item, source)
  return items
}

function keyOf(input: unknown): { key?: string } {
  if (!isPlainObject(input)) return {}
  const given = [input.service_key, input.fides_key].find((key) => key != null && key !== '')
  const key = given ?? (typeof input.name === 'string' ? deriveKey(input.name) : undefined)
  return keySchema.safeParse(key).success ? { key: key as string } : {}
}
