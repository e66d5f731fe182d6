import { PrivacyError } from '../../errors.js'
import type { Dataset } from '../../model/dataset.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import {
  datasetLinks,
  policyLinks,
  type ResourceLink,
  systemLinks,
  type TaxonomyKind,
} from '../../rules/findings/resource-links.js'
import { unknownLinkFindings, unknownLinks } from '../../rules/findings/unknown-links.js'
import type { PlaceGroup } from '../../rules/policy/declared-places.js'
import { prohibitionsOf } from '../../rules/policy/prohibitions.js'

const none: ReadonlySet<string> = new Set()

/** The most keys that an error names. */
const mostNamed = 20

/**
 * Collects keys that documents name and that do not exist. A verdict that rests on one could be another verdict once it
 * exists, so there is none.
 */
export function missingKeys(taxonomy: Readonly<Record<TaxonomyKind, ReadonlySet<string>>>) {
  const first: ResourceLink[] = []
  let count = 0
  const references: ResourceLink[] = []

  function add(link: ResourceLink): void {
    count++
    if (first.length < mostNamed) first.push(link)
  }
  function addTaxonomy(links: readonly ResourceLink[]): void {
    for (const link of links) if (isOfTaxonomy(link) && !taxonomy[link.kind].has(link.key)) add(link)
  }

  return {
    addPolicy(policy: Policy): void {
      const prohibiting = new Set(prohibitionsOf(policy).map(({ index }) => index))
      addTaxonomy(policyLinks(policy).filter(({ path }) => prohibiting.has(path[1] as number)))
    },
    addSystem(system: System): void {
      const links = systemLinks(system).filter(({ path }) => path[0] === 'privacy_declarations')
      addTaxonomy(links)
      references.push(...links.filter(({ kind }) => kind === 'dataset'))
    },
    addDataset(dataset: Dataset, groups: readonly PlaceGroup[]): void {
      const isKnown = ({ categories, qualifiers }: PlaceGroup) =>
        categories.every((key) => taxonomy.dataCategory.has(key)) &&
        qualifiers.every((key) => taxonomy.dataQualifier.has(key))
      // Each key of the dataset is in some group. Links, which know their places, take more time.
      if (!groups.every(isKnown)) addTaxonomy(datasetLinks(dataset))
    },

    /** Throws `conflict` naming what is missing. */
    refuse(policyKey: string, datasets: ReadonlySet<string>): void {
      for (const link of references) if (!datasets.has(link.key)) add(link)
      if (count === 0) return
      const known = { ...taxonomy, dataset: datasets, system: none, organization: none, registry: none }
      const told = unknownLinkFindings(unknownLinks(first, known)).map(({ message }) => message)
      const more = count > first.length ? ` There are ${count - first.length} more.` : ''
      const keys = count === 1 ? 'a key that it rests on does not exist' : `${count} keys that it rests on do not exist`
      const message = `Policy '${policyKey}' cannot be evaluated, because ${keys}. ${told.join(' ')}${more}`
      throw new PrivacyError('conflict', message, { kind: 'policy', id: policyKey })
    },
  }
}

function isOfTaxonomy(link: ResourceLink): link is ResourceLink & { readonly kind: TaxonomyKind } {
  return link.kind.startsWith('data') && link.kind !== 'dataset'
}
