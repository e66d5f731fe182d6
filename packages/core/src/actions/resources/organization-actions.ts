import { defaultOrganization, parseOrganization } from '../../model/organization.js'
import type { ActionContext } from '../action-context.js'
import { findReferrers } from './find-referrers.js'
import { ownedResources } from './owned-resources.js'

/** Who owns the other resources. `default_organization` exists from the start. */
export function organizationActions(context: ActionContext) {
  return ownedResources(context, {
    what: 'organization',
    table: (storage) => storage.table('organization'),
    read: parseOrganization,
    defaults: [defaultOrganization],
    referrers: (key) => findReferrers(context.storage, 'organization', key),
  })
}
