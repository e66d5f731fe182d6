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
  /** Findings besides those about links. */
  findings?(document: Document): readonly Finding[] | Promise<readonly Finding[]>
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
      const linked = await linkFindings(
        context,
        rows.map(({ document }) => links(document)),
      )
      const noticed: { findings: readonly Finding[] }[] = []
      for (const [at, { document }] of rows.entries())
        noticed.push({ findings: [...((await findings?.(document)) ?? []), ...(linked[at] ?? [])] })
      return noticed
    },
  })
  return { create, put, replace, patch, get, list, remove, store, answers }
}
