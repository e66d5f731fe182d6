import { readLegacyKeys } from '../../model/legacy-names.js'
import { parseSystem, type System } from '../../model/system.js'
import type { ResourceRow } from '../../ports/rows.js'
import { systemLinks } from '../../rules/findings/resource-links.js'
import type { ActionContext } from '../action-context.js'
import { findReferrers } from './find-referrers.js'
import { linkFindings, refuseUnknownKeys } from './known-keys.js'
import { resources } from './resources.js'

/**
 * The systems that process data, and their purposes. A declaration may name datasets and systems that do not exist yet.
 */
export function systemActions(context: ActionContext) {
  const { create, put, replace, patch, get, list, remove } = resources<System, ResourceRow<System>, object>(context, {
    what: 'system',
    table: (storage) => storage.table('system'),
    rename: (input) => readLegacyKeys(input, ['egress', 'ingress']),
    read: parseSystem,
    blank: {},
    extra: () => ({}),
    complete: async (document) => {
      await refuseUnknownKeys(context, 'system', systemLinks(document))
      return document
    },
    notices: async ({ document }) => ({ findings: await linkFindings(context, systemLinks(document)) }),
    referrers: (key) => findReferrers(context.storage, 'system', key),
  })
  return { create, put, replace, patch, get, list, remove }
}
