import { readLegacyKeys } from '../../model/legacy-names.js'
import type { Parsed } from '../../model/parse-input.js'
import type { ResourceRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { ownerLinks } from '../../rules/findings/resource-links.js'
import type { ActionContext } from '../action-context.js'
import type { Referrer } from './find-referrers.js'
import { linkFindings } from './known-keys.js'
import { type ResourceTable, resources } from './resources.js'

interface OwnedDefinition<Document> {
  readonly what: 'organization' | 'registry'
  table(storage: Storage): ResourceTable<ResourceRow<Document>>
  read(input: unknown): Parsed<Document>
  readonly defaults?: readonly Document[]
  referrers(key: string): Promise<readonly Referrer[]>
}

/** Resources that say little more than whose they are. */
export function ownedResources<
  Document extends Parameters<typeof ownerLinks>[1] & { name: string; description?: string },
>(context: ActionContext, definition: OwnedDefinition<Document>) {
  const { create, put, replace, patch, get, list, remove } = resources<Document, ResourceRow<Document>, object>(
    context,
    {
      ...definition,
      rename: readLegacyKeys,
      blank: {},
      extra: () => ({}),
      notices: async ({ document }) => ({
        findings: await linkFindings(context, ownerLinks(definition.what, document)),
      }),
    },
  )
  return { create, put, replace, patch, get, list, remove }
}
