import { formatAddress } from '../../model/address.js'
import type { Dataset, Field } from '../../model/dataset.js'
import type { Organization } from '../../model/organization.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import type { DataCategory } from '../../model/taxonomy.js'

export type TaxonomyKind = 'dataCategory' | 'dataUse' | 'dataSubject' | 'dataQualifier'

/** Kinds of resources that other resources name by key. */
export type LinkedKind = TaxonomyKind | 'dataset' | 'system' | 'organization' | 'registry'

type Location = readonly (string | number)[]

/** A place at which a resource names another one. */
export interface ResourceLink {
  readonly kind: LinkedKind
  readonly key: string
  /** The path of the key in the document: members and positions. */
  readonly path: Location
  /** The place of a finding about it. */
  readonly loc: Location
  /** The same in words for people. */
  readonly place: string
}

interface Place {
  readonly loc: (path: Location) => Location
  readonly text: (path: Location) => string
}

function collector() {
  const links: ResourceLink[] = []
  const one = (kind: LinkedKind, key: string | undefined, path: Location, place: Place) => {
    if (key !== undefined) links.push({ kind, key, path, loc: place.loc(path), place: place.text(path) })
  }
  const many = (kind: LinkedKind, keys: readonly string[] | undefined, path: Location, place: Place) => {
    for (const [index, key] of (keys ?? []).entries()) one(kind, key, [...path, index], place)
  }
  return { links, one, many }
}

function formatPath(path: Location): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

/** For resources without collections, whose members are the place. */
function documentPlace(what: string, key: string): Place {
  return { loc: (path) => [key, ...path], text: (path) => `${formatPath(path)} of ${what} '${key}'` }
}

const fixedPlace = (loc: Location, text: string): Place => ({ loc: () => loc, text: () => text })

export function datasetLinks(dataset: Dataset): ResourceLink[] {
  const { links, one, many } = collector()
  const key = dataset.service_key
  const whole = fixedPlace([key], `dataset '${key}'`)
  one('organization', dataset.organization_service_key, ['organization_service_key'], whole)
  many('dataCategory', dataset.data_categories, ['data_categories'], whole)
  many('dataQualifier', dataset.data_qualifiers, ['data_qualifiers'], whole)
  many('dataset', dataset.service_meta.after, ['service_meta', 'after'], whole)

  const visit = (fields: readonly Field[], above: Location, names: readonly string[], collection: string) =>
    fields.forEach((field, index) => {
      const path = [...above, 'fields', index]
      const name = [...names, field.name]
      const dotted = name.join('.')
      const place = fixedPlace([key, collection, dotted], `'${formatAddress(key, collection)}.${dotted}'`)
      many('dataCategory', field.data_categories, [...path, 'data_categories'], place)
      one('dataQualifier', field.data_qualifier, [...path, 'data_qualifier'], place)
      field.service_meta.references.forEach((reference, at) => {
        one('dataset', reference.dataset, [...path, 'service_meta', 'references', at, 'dataset'], place)
      })
      visit(field.fields, path, name, collection)
    })

  dataset.collections.forEach((collection, index) => {
    const path = ['collections', index]
    const place = fixedPlace([key, collection.name], `'${formatAddress(key, collection.name)}'`)
    many('dataCategory', collection.data_categories, [...path, 'data_categories'], place)
    many('dataQualifier', collection.data_qualifiers, [...path, 'data_qualifiers'], place)
    visit(collection.fields, path, [], collection.name)
  })
  return links
}

export function systemLinks(system: System): ResourceLink[] {
  const { links, one, many } = collector()
  const place = documentPlace('system', system.service_key)
  one('organization', system.organization_service_key, ['organization_service_key'], place)
  one('registry', system.registry_service_key, ['registry_service_key'], place)
  system.privacy_declarations.forEach((declaration, index) => {
    const path = ['privacy_declarations', index]
    many('dataCategory', declaration.data_categories, [...path, 'data_categories'], place)
    one('dataUse', declaration.data_use, [...path, 'data_use'], place)
    many('dataSubject', declaration.data_subjects, [...path, 'data_subjects'], place)
    one('dataQualifier', declaration.data_qualifier, [...path, 'data_qualifier'], place)
    many('dataset', declaration.dataset_references, [...path, 'dataset_references'], place)
    many('system', declaration.egress, [...path, 'egress'], place)
    many('system', declaration.ingress, [...path, 'ingress'], place)
  })
  for (const side of ['egress', 'ingress'] as const) {
    system[side].forEach((flow, index) => {
      // A flow may lead to anything, for example a user. Only kinds that are stored here can be checked.
      const type = flow.type?.toLowerCase() ?? 'system'
      if (type === 'system' || type === 'dataset') one(type, flow.service_key, [side, index, 'service_key'], place)
      many('dataCategory', flow.data_categories, [side, index, 'data_categories'], place)
    })
  }
  return links
}

export function policyLinks(policy: Policy): ResourceLink[] {
  const { links, one, many } = collector()
  const place = documentPlace('policy', policy.service_key)
  one('organization', policy.organization_service_key, ['organization_service_key'], place)
  policy.rules.forEach((rule, index) => {
    const path = ['rules', index]
    one('organization', rule.organization_service_key, [...path, 'organization_service_key'], place)
    many('dataCategory', rule.data_categories?.values, [...path, 'data_categories', 'values'], place)
    many('dataUse', rule.data_uses?.values, [...path, 'data_uses', 'values'], place)
    many('dataSubject', rule.data_subjects?.values, [...path, 'data_subjects', 'values'], place)
    one('dataQualifier', rule.data_qualifier, [...path, 'data_qualifier'], place)
  })
  return links
}

/** Links of organizations and registries. */
export function ownerLinks(
  what: string,
  owner: Pick<Organization, 'service_key' | 'organization_parent_key'> & { organization_service_key?: string },
): ResourceLink[] {
  const { links, one } = collector()
  const place = documentPlace(what, owner.service_key)
  one('organization', owner.organization_service_key, ['organization_service_key'], place)
  one('organization', owner.organization_parent_key, ['organization_parent_key'], place)
  return links
}

export function taxonomyLinks(
  kind: TaxonomyKind,
  what: string,
  item: Pick<DataCategory, 'service_key' | 'parent_key' | 'organization_service_key'>,
): ResourceLink[] {
  const { links, one } = collector()
  const place = documentPlace(what, item.service_key)
  one('organization', item.organization_service_key, ['organization_service_key'], place)
  one(kind, item.parent_key, ['parent_key'], place)
  return links
}
