import { defaultTaxonomy } from '../../model/default-taxonomy.js'
import type { ParentLinks } from '../../model/is-covered.js'
import { defaultOrganization } from '../../model/organization.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Storage } from '../../ports/storage.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { LinkedKind, ResourceLink, TaxonomyKind } from '../../rules/findings/resource-links.js'
import {
  type KnownKeys,
  unknownLinkFindings,
  unknownLinks,
  unknownTaxonomyIssues,
} from '../../rules/findings/unknown-links.js'
import type { TaxonomyLinks } from '../../rules/policy/targets.js'
import type { ActionContext } from '../action-context.js'
import { findAll } from '../find-all.js'

const shipped = {
  dataCategory: defaultTaxonomy.dataCategories,
  dataUse: defaultTaxonomy.dataUses,
  dataSubject: defaultTaxonomy.dataSubjects,
  dataQualifier: defaultTaxonomy.dataQualifiers,
} as const

/**
 * The existing keys that `links` ask about: the whole of each part of the taxonomy they name, including shipped items
 * that are not stored yet, and the named keys of other resources.
 */
export async function knownKeys(storage: Storage, links: readonly ResourceLink[]): Promise<KnownKeys> {
  const asked = new Map<LinkedKind, Set<string>>()
  // A manifest can have hundreds of thousands of links, so they are read once.
  for (const { kind, key } of links) {
    const keys = asked.get(kind)
    if (keys) keys.add(key)
    else asked.set(kind, new Set([key]))
  }
  const taxonomy = async (kind: TaxonomyKind) => {
    if (!asked.has(kind)) return new Set<string>()
    const rows = await storage.table(kind).find()
    return new Set([...shipped[kind].map((item) => item.service_key), ...rows.map(({ id }) => id)])
  }
  const named = async (kind: Exclude<LinkedKind, TaxonomyKind>) => {
    const keys = asked.get(kind)
    if (!keys) return new Set<string>()
    return new Set((await storage.table(kind).find({ where: { id: { in: [...keys] } } })).map(({ id }) => id))
  }
  const [dataCategory, dataUse, dataSubject, dataQualifier, dataset, system, organization, registry] =
    await Promise.all([
      taxonomy('dataCategory'),
      taxonomy('dataUse'),
      taxonomy('dataSubject'),
      taxonomy('dataQualifier'),
      named('dataset'),
      named('system'),
      named('organization'),
      named('registry'),
    ] as const)
  organization.add(defaultOrganization.service_key)
  return { dataCategory, dataUse, dataSubject, dataQualifier, dataset, system, organization, registry }
}

/** The parent of each key in one part of the taxonomy. */
export async function parentLinks(storage: Storage, kind: TaxonomyKind): Promise<ParentLinks> {
  return linksOf(kind, await storage.table(kind).find())
}

/** The same, given what is stored of it. */
export function linksOf(
  kind: TaxonomyKind,
  stored: readonly { readonly document: { readonly service_key: string; readonly parent_key?: string | undefined } }[],
): ParentLinks {
  const links = new Map<string, string>()
  const documents = stored.map(({ document }) => document)
  for (const { service_key: key, parent_key: parent } of [...shipped[kind], ...documents]) {
    if (parent === undefined) links.delete(key)
    else links.set(key, parent)
  }
  return links
}

/** The whole taxonomy. */
export interface Taxonomy {
  readonly links: TaxonomyLinks
  readonly known: Readonly<Record<TaxonomyKind, ReadonlySet<string>>>
}

export async function readTaxonomy(storage: Storage): Promise<Taxonomy> {
  const [dataCategory, dataUse, dataSubject, dataQualifier] = await findAll(storage, [
    { kind: 'dataCategory' },
    { kind: 'dataUse' },
    { kind: 'dataSubject' },
    { kind: 'dataQualifier' },
  ])
  const keysOf = (kind: TaxonomyKind, rows: readonly { readonly id: string }[]) =>
    new Set([...shipped[kind].map((item) => item.service_key), ...rows.map(({ id }) => id)])
  return {
    links: {
      dataCategories: linksOf('dataCategory', dataCategory),
      dataUses: linksOf('dataUse', dataUse),
      dataSubjects: linksOf('dataSubject', dataSubject),
      dataQualifiers: linksOf('dataQualifier', dataQualifier),
    },
    known: {
      dataCategory: keysOf('dataCategory', dataCategory),
      dataUse: keysOf('dataUse', dataUse),
      dataSubject: keysOf('dataSubject', dataSubject),
      dataQualifier: keysOf('dataQualifier', dataQualifier),
    },
  }
}

/** With the option `taxonomy: 'strict'`, throws `invalid_input` naming each key that the taxonomy does not know. */
export async function refuseUnknownKeys(
  { storage, options }: ActionContext,
  what: string,
  linksOf: () => readonly ResourceLink[],
): Promise<void> {
  if (options.taxonomy !== 'strict') return
  const links = linksOf()
  const issues = unknownTaxonomyIssues(unknownLinks(links, await knownKeys(storage, links)))
  if (issues.length > 0) throw invalidInput(what, issues)
}

/** For each list of links, a finding for each link to an unknown key. */
export async function linkFindings(
  { storage }: ActionContext,
  lists: readonly (readonly ResourceLink[])[],
): Promise<readonly Finding[][]> {
  const known = await knownKeys(storage, lists.flat())
  return lists.map((links) => unknownLinkFindings(unknownLinks(links, known)))
}
