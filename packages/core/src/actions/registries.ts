import { readLegacyKeys } from '../model/legacy-names.js'
import { parseRegistry, type Registry } from '../model/registry.js'
import type { ResourceRow } from '../ports/rows.js'
import { ownerLinks } from '../rules/resource-links.js'
import type { ActionContext } from './context.js'
import { linkFindings } from './known-keys.js'
import { resources } from './resources.js'

/** Groups of systems, between an organization and its systems. */
export function registryActions(context: ActionContext) {
  const { create, put, replace, patch, get, list, remove } = resources<Registry, ResourceRow<Registry>, object>(
    context,
    {
      what: 'registry',
      table: (storage) => storage.table('registry'),
      rename: readLegacyKeys,
      read: parseRegistry,
      blank: {},
      extra: () => ({}),
      findings: ({ document }) => linkFindings(context, ownerLinks('registry', document)),
      // The specification gives no resource a member that names a registry.
      referrers: async () => [],
    },
  )
  return { create, put, replace, patch, get, list, remove }
}
