import type { Issue } from '../errors.js'
import { isPlainObject } from './clean-input.js'
import { deriveKey, keySchema } from './key.js'
import { invalidInput } from './parse-input.js'
import { readYaml } from './read-yaml.js'

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
export const mostManifestItems = 1_000

export interface ManifestItem {
  readonly kind: ManifestKind
  readonly input: unknown
  /** The path of the item in the manifest: members and positions. */
  readonly loc: Issue['loc']
  /** The key that the item names, or that its name gives. */
  readonly key?: string
}

export interface Manifest {
  /** The kinds it holds, for example to check the permissions of its sender. */
  readonly kinds: readonly ManifestKind[]
  readonly items: readonly ManifestItem[]
}

/**
 * Reads the outer shape of a manifest from text (YAML 1.2 or JSON) or from a value. The action that stores an item
 * reads it. Throws `invalid_input` with every bad place, or with the line and column where the text breaks off.
 */
export function readManifest(input: unknown): Manifest {
  const document = typeof input === 'string' ? readText(input) : input
  if (!isPlainObject(document)) throw invalid([], `must be an object with ${someOf}`, 'invalid_type')
  const names = Object.keys(document)
  if (names.length === 0) throw invalid([], `is empty: it must have ${someOf}`, 'missing')
  const issues = names.flatMap((name) => issuesOf(name, document[name]))
  if (issues.length > 0) throw invalidInput('manifest', issues)

  const kinds = manifestKinds.filter((kind) => Object.hasOwn(document, kind))
  const items = kinds.flatMap((kind) => itemsOf(kind, document[kind]))
  if (items.length > mostManifestItems) {
    const msg = `has ${items.length} items, more than the ${mostManifestItems} allowed in one call: split it`
    throw invalid([], msg, 'too_big')
  }
  return { kinds, items }
}

const someOf = `some of ${manifestKinds.join(', ')} at its top`

function readText(text: string): unknown {
  const reading = readYaml(text)
  if ('problem' in reading) throw invalid([], reading.problem, 'malformed')
  return reading.value
}

const invalid = (loc: Issue['loc'], msg: string, type: string) => invalidInput('manifest', [{ loc, msg, type }])

function issuesOf(name: string, value: unknown): Issue[] {
  if (!manifestKinds.includes(name as ManifestKind)) {
    return [{ loc: [name.slice(0, 255)], msg: `is not known here: a manifest has ${someOf}`, type: 'unknown_member' }]
  }
  if (value === null || Array.isArray(value) || isPlainObject(value)) return []
  return [{ loc: [name], msg: 'must be a list or one object', type: 'invalid_type' }]
}

function itemsOf(kind: ManifestKind, value: unknown): ManifestItem[] {
  if (value === null) return []
  if (!Array.isArray(value)) return [{ kind, input: value, loc: [kind], ...keyOf(value) }]
  return value.map((input, index) => ({ kind, input, loc: [kind, index], ...keyOf(input) }))
}

function keyOf(input: unknown): { key?: string } {
  if (!isPlainObject(input)) return {}
  const given = [input.service_key, input.fides_key].find((key) => key != null && key !== '')
  const key = given ?? (typeof input.name === 'string' ? deriveKey(input.name) : undefined)
  return keySchema.safeParse(key).success ? { key: key as string } : {}
}
