import { PrivacyError } from '../../errors.js'
import type { Storage } from '../../ports/storage.js'
import {
  datasetLinks,
  type LinkedKind,
  ownerLinks,
  policyLinks,
  type ResourceLink,
  systemLinks,
  type TaxonomyKind,
  taxonomyLinks,
} from '../../rules/findings/resource-links.js'

/** A resource that keeps another one from being deleted. */
export interface Referrer {
  /** For people, such as `system`. */
  readonly what: string
  readonly key: string
}

/** Every other resource that refers to the one of this kind and key. */
export async function findReferrers(storage: Storage, kind: LinkedKind, key: string): Promise<Referrer[]> {
  const found: Referrer[] = []
  const look = async <Document extends { service_key: string }>(
    what: string,
    rows: Promise<readonly { readonly document: Document }[]>,
    links: (document: Document) => ResourceLink[],
    itself: boolean,
  ) => {
    for (const { document } of await rows) {
      if (itself && document.service_key === key) continue
      const refers = links(document).some((link) => link.kind === kind && link.key === key)
      if (refers) found.push({ what, key: document.service_key })
    }
  }
  const lookInTaxonomy = (row: TaxonomyKind, what: string) =>
    look(what, storage.table(row).find(), (document) => taxonomyLinks(row, what, document), kind === row)

  await look('system', storage.table('system').find(), systemLinks, kind === 'system')
  await look('dataset', storage.table('dataset').find(), datasetLinks, kind === 'dataset')
  await look('policy', storage.table('policy').find(), policyLinks, false)
  const organizations = storage.table('organization').find()
  await look('organization', organizations, (document) => ownerLinks('organization', document), kind === 'organization')
  await look('registry', storage.table('registry').find(), (document) => ownerLinks('registry', document), false)
  await lookInTaxonomy('dataCategory', 'data category')
  await lookInTaxonomy('dataUse', 'data use')
  await lookInTaxonomy('dataSubject', 'data subject')
  await lookInTaxonomy('dataQualifier', 'data qualifier')
  return found
}

const mostNamed = 10

/** Throws `conflict` naming the referrers, when there are any. */
export function refuseReferrers(kind: string, id: string, referrers: readonly Referrer[]): void {
  if (referrers.length === 0) return
  const named = referrers.slice(0, mostNamed).map(({ what, key }) => `${what} '${key}'`)
  const more = referrers.length > mostNamed ? ` and ${referrers.length - mostNamed} more` : ''
  const refer = referrers.length > 1 ? 'refer' : 'refers'
  throw new PrivacyError(
    'conflict',
    `The ${kind} '${id}' cannot be deleted, because ${named.join(', ')}${more} still ${refer} to it: change that first.`,
    { kind, id, referrers: referrers.map(({ key }) => key) },
  )
}
