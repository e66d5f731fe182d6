import { ancestors } from '@habeas/core'
import { byText } from '../picture/facts.js'
import type { Filter } from '../picture/picture.js'

export interface TaxonomyItem {
  readonly service_key: string
  readonly name: string
  readonly description?: string
  readonly parent_key?: string
}

/** One tree of the taxonomy: its names, and what lies above a key. */
export interface Taxonomy {
  nameOf(key: string): string
  descriptionOf(key: string): string | undefined
  /** The key and everything above it, nearest first. */
  lineOf(key: string): readonly string[]
  /** The key that stands for it in a picture: at most two levels deep. */
  topOf(key: string): string
}

export function taxonomy(items: readonly TaxonomyItem[] = []): Taxonomy {
  const byKey = new Map(items.map((item) => [item.service_key, item]))
  const parents = new Map(items.flatMap(({ service_key: key, parent_key: parent }) => (parent ? [[key, parent]] : [])))
  const lines = new Map<string, readonly string[]>()
  const lineOf = (key: string) => {
    const line = lines.get(key) ?? [key, ...ancestors(key, parents)]
    lines.set(key, line)
    return line
  }
  return {
    nameOf: (key) => byKey.get(key)?.name ?? key,
    descriptionOf: (key) => byKey.get(key)?.description,
    lineOf,
    topOf: (key) => lineOf(key).at(-2) ?? key,
  }
}

/** The filter over the used keys of a tree and all above them, and the position of each key in it. */
export function treeFilter(
  { label, all }: Pick<Filter, 'label' | 'all'>,
  { nameOf, lineOf }: Taxonomy,
  used: Iterable<string>,
): { readonly filter: Filter; readonly positions: ReadonlyMap<string, number> } {
  const keys = [...new Set([...used].flatMap(lineOf))]
  const pathOf = (key: string) => [...lineOf(key)].reverse()
  const paths = keys.map((key) => ({ key, path: pathOf(key) })).sort((a, b) => byPath(a.path, b.path))
  return {
    filter: { label, all, options: paths.map(({ key, path }) => ({ label: nameOf(key), depth: path.length - 1 })) },
    positions: new Map(paths.map(({ key }, at) => [key, at])),
  }
}

function byPath(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((key, depth) => key !== b[depth])
  return at < 0 ? a.length - b.length : byText(a[at] as string, b[at] ?? '')
}
