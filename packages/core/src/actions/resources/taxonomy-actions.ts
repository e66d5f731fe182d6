import { defaultTaxonomy } from '../../model/default-taxonomy.js'
import { ancestors } from '../../model/is-covered.js'
import { readLegacyKeys } from '../../model/legacy-names.js'
import { invalidInput, type Parsed } from '../../model/parse-input.js'
import {
  type DataCategory,
  parseDataCategory,
  parseDataQualifier,
  parseDataSubject,
  parseDataUse,
} from '../../model/taxonomy.js'
import type { ResourceRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { type TaxonomyKind, taxonomyLinks } from '../../rules/findings/resource-links.js'
import type { ActionContext } from '../action-context.js'
import { findReferrers } from './find-referrers.js'
import { linkFindings, parentLinks } from './known-keys.js'
import { type ResourceTable, resources } from './resources.js'

/** The taxonomy: shipped items exist from the start, may be edited, and cannot be deleted. */
export function taxonomyActions(context: ActionContext) {
  return {
    /** The parent of each key, for matching. */
    parents: (kind: TaxonomyKind) => parentLinks(context.storage, kind),
    dataCategories: items(context, {
      kind: 'dataCategory',
      what: 'data category',
      table: (storage) => storage.table('dataCategory'),
      read: parseDataCategory,
      defaults: defaultTaxonomy.dataCategories,
    }),
    dataUses: items(context, {
      kind: 'dataUse',
      what: 'data use',
      table: (storage) => storage.table('dataUse'),
      read: parseDataUse,
      defaults: defaultTaxonomy.dataUses,
    }),
    dataSubjects: items(context, {
      kind: 'dataSubject',
      what: 'data subject',
      table: (storage) => storage.table('dataSubject'),
      read: parseDataSubject,
      defaults: defaultTaxonomy.dataSubjects,
    }),
    dataQualifiers: items(context, {
      kind: 'dataQualifier',
      what: 'data qualifier',
      table: (storage) => storage.table('dataQualifier'),
      read: parseDataQualifier,
      defaults: defaultTaxonomy.dataQualifiers,
    }),
  }
}

interface ItemDefinition<Item> {
  readonly kind: TaxonomyKind
  readonly what: string
  table(storage: Storage): ResourceTable<ResourceRow<Item>>
  read(input: unknown): Parsed<Item>
  readonly defaults: readonly Item[]
}

function items<Item extends DataCategory>(context: ActionContext, definition: ItemDefinition<Item>) {
  const { kind, what, table, defaults } = definition
  const shipped = new Set(defaults.map((item) => item.service_key))

  /** An item below itself would cover everything on the circle. */
  async function complete(item: Item): Promise<Item> {
    const { service_key: key, parent_key: parent } = item
    if (parent !== undefined) {
      const links = await parentLinks(context.storage, kind)
      if (ancestors(parent, links).includes(key)) {
        const msg = `must not be '${parent}', which lies below '${key}'`
        throw invalidInput(what, [{ loc: ['parent_key'], msg, type: 'circle' }])
      }
    }
    return { ...item, is_default: shipped.has(key) }
  }

  const { create, put, replace, patch, get, list, remove } = resources<Item, ResourceRow<Item>, object>(context, {
    what,
    table,
    rename: readLegacyKeys,
    read: definition.read,
    blank: {},
    extra: () => ({}),
    defaults,
    complete,
    notices: async ({ document }) => ({ findings: await linkFindings(context, taxonomyLinks(kind, what, document)) }),
    referrers: (key) => findReferrers(context.storage, kind, key),
  })
  return { create, put, replace, patch, get, list, remove }
}
