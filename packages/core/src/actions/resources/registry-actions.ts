import { parseRegistry } from '../../model/registry.js'
import type { ActionContext } from '../action-context.js'
import { ownedResources } from './owned-resources.js'

/** Groups of systems, between an organization and its systems. */
export function registryActions(context: ActionContext) {
  return ownedResources(context, {
    what: 'registry',
    table: (storage) => storage.table('registry'),
    read: parseRegistry,
    // The specification gives no resource a member that names a registry.
    referrers: async () => [],
  })
}
