import { readLegacyKeys } from '../../model/legacy-names.js'
import type { ResourceRow } from '../../ports/rows.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { ResourceLink } from '../../rules/findings/resource-links.js'
import type { ActionContext } from '../action-context.js'
import { linkFindings } from './known-keys.js'
import { type AnyDocument, type ResourceDefinition, resources } from './resources.js'

type Definition<Document extends AnyDocument> = ResourceDefinition<Document, ResourceRow<Document>, object>

interface DocumentDefinition<Document extends AnyDocument>
  extends Omit<Definition<Document>, 'rename' | 'blank' | 'extra' | 'notices'> {
  /** Default: `readLegacyKeys`. */
  readonly rename?: Definition<Document>['rename']
  /** The places at which a document names other resources. */
  links(document: Document): readonly ResourceLink[]
  /** Findings besides those about links, a list for each document. */
  findings?(documents: readonly Document[]): Promise<readonly (readonly Finding[])[]>
}

/** The actions of a resource whose row holds its document and nothing else. */
export function documentResource<Document extends AnyDocument>(
  context: ActionContext,
  { links, findings, ...definition }: DocumentDefinition<Document>,
) {
  const { create, put, replace, patch, get, list, remove, store, answers } = resources<
    Document,
    ResourceRow<Document>,
    object
  >(context, {
    rename: readLegacyKeys,
    ...definition,
    blank: {},
    extra: () => ({}),
    async notices(rows) {
      const documents = rows.map(({ document }) => document)
      const linked = await linkFindings(context, documents.map(links))
      const others = (await findings?.(documents)) ?? []
      return documents.map((_, at) => ({ findings: [...(others[at] ?? []), ...(linked[at] ?? [])] }))
    },
  })
  return { create, put, replace, patch, get, list, remove, store, answers }
}
