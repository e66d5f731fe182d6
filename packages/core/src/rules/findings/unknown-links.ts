import type { Issue } from '../../errors.js'
import { editDistance, nearestKey } from '../../model/nearest-key.js'
import type { Finding } from './finding.js'
import type { LinkedKind, ResourceLink, TaxonomyKind } from './resource-links.js'

/** The existing keys of each kind. */
export type KnownKeys = { readonly [Kind in LinkedKind]: ReadonlySet<string> }

/** A link to something that does not exist. */
export interface UnknownLink extends ResourceLink {
  /** The most similar existing key, only for the taxonomy. */
  readonly nearest?: string
}

const names: Readonly<Record<LinkedKind, string>> = {
  dataCategory: 'data category',
  dataUse: 'data use',
  dataSubject: 'data subject',
  dataQualifier: 'data qualifier',
  dataset: 'dataset',
  system: 'system',
  organization: 'organization',
  registry: 'registry',
}

const taxonomyKinds: readonly LinkedKind[] = [
  'dataCategory',
  'dataUse',
  'dataSubject',
  'dataQualifier',
] satisfies TaxonomyKind[]

/** The most keys with a hint. Searching for similar keys takes time, and a document may be full of unknown keys. */
const mostHints = 50

/** The links that lead nowhere, in their order. */
export function unknownLinks(links: readonly ResourceLink[], known: KnownKeys): UnknownLink[] {
  const hints = new Map<string, string | undefined>()
  return links
    .filter(({ kind, key }) => !known[kind].has(key))
    .map((link) => {
      if (!taxonomyKinds.includes(link.kind)) return link
      const name = `${link.kind} ${link.key}`
      if (!hints.has(name) && hints.size < mostHints) hints.set(name, nearestOf(link.key, known[link.kind]))
      const nearest = hints.get(name)
      // a key is not its own parent
      return nearest === undefined || nearest === link.loc[0] ? link : { ...link, nearest }
    })
}

/**
 * The last part of a key carries its meaning, so `user.email` is near `user.contact.email`, and not `user.device`. A key may be
 * meant by its beginning: `user.health` for `user.health_and_medical`.
 */
function nearestOf(key: string, known: ReadonlySet<string>): string | undefined {
  const last = lastOf(key)
  const alike = [...known].filter((each) => editDistance(last, lastOf(each)) <= last.length / 3)
  const begun = [...known].filter((each) => last.length > 2 && each.startsWith(key))
  return nearestKey(key, [alike, begun].find((some) => some.length > 0) ?? known)
}

/** No part of a key of the taxonomy is longer. */
const longest = 100
const lastOf = (key: string) => key.slice(key.lastIndexOf('.') + 1).slice(0, longest)

const isOfTaxonomy = ({ kind }: ResourceLink) => taxonomyKinds.includes(kind)

export function unknownLinkFindings(unknown: readonly UnknownLink[]): Finding[] {
  return unknown.map((link) => {
    const { kind, key, place, loc, nearest } = link
    if (!isOfTaxonomy(link)) {
      const message = `${place} names the ${names[kind]} '${key}', which does not exist: create it or correct the key.`
      return { type: `unknown_${kind}`, severity: 'warning', loc, message }
    }
    const hint = nearest === undefined ? '' : ` The nearest known key is '${nearest}'.`
    const message = `${place} names the ${names[kind]} '${key}', which the taxonomy does not know, so it matches only itself and keys below it.${hint}`
    return { type: 'unknown_taxonomy_key', severity: 'warning', loc, message }
  })
}

/** The keys that the option `taxonomy: 'strict'` refuses, each with its place in the document. */
export function unknownTaxonomyIssues(unknown: readonly UnknownLink[]): Issue[] {
  return unknown.filter(isOfTaxonomy).map(({ kind, key, path, nearest }) => ({
    loc: path,
    msg: `names the ${names[kind]} '${key}', which the taxonomy does not know${nearest === undefined ? '' : `; the nearest key is '${nearest}'`}`,
    type: 'unknown_taxonomy_key',
  }))
}
