import { readLegacyKeys } from '../model/legacy-names.js'
import { defaultOrganization, type Organization, parseOrganization } from '../model/organization.js'
import type { ResourceRow } from '../ports/rows.js'
import { ownerLinks } from '../rules/resource-links.js'
import type { ActionContext } from './context.js'
import { linkFindings } from './known-keys.js'
import { findReferrers } from './referrers.js'
import { resources } from './resources.js'

/** Who owns the other resources. `default_organization` exists from the start. */
export function organizationActions(context: ActionContext) {
  const { create, put, replace, patch, get, list, remove } = resources<Organization, ResourceRow<Organization>, object>(
    context,
    {
      what: 'organization',
      table: (storage) => storage.table('organization'),
      rename: readLegacyKeys,
      read: parseOrganization,
      blank: {},
      extra: () => ({}),
      defaults: [defaultOrganization],
      findings: ({ document }) => linkFindings(context, ownerLinks('organization', document)),
      referrers: (key) => findReferrers(context.storage, 'organization', key),
    },
  )
  return { create, put, replace, patch, get, list, remove }
}
