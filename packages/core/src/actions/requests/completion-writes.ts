import type { PrivacyRequest } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Write } from '../../ports/storage.js'
import type { MailContent } from '../../rules/mail/mail-values.js'
import type { ComposeOptions } from '../mail/request-mails.js'
import { newLink } from './download-link.js'
import type { RequestContext } from './request-context.js'

/**
 * The writes at the completion of a request: mails that report it, with a one-time link to each package where the
 * public URL is known. Rejects when the storage or the secrets are away, unless `whateverHappens` is set.
 */
export async function completionWrites(
  context: RequestContext,
  row: PrivacyRequestRow,
  { packages = [], results = [] }: Pick<PrivacyRequest, 'packages' | 'results'>,
  options: Pick<ComposeOptions, 'whateverHappens'> = {},
): Promise<readonly Write[]> {
  const { links, mail, runtime } = context
  const isTold =
    !row.mailsSuppressed && mail?.sends === true && mail.kinds.request_completion && links.publicUrl !== undefined
  const made = isTold ? packages.map(({ name }) => newLink(runtime, links, row.id, name)) : []
  const about = { kind: 'request_completion', requestId: row.id } as const
  const erased = results.some(({ actionType }) => actionType === 'erasure')
  const contents: MailContent[] = []
  if (!erased || packages.length > 0) {
    const shown = made.map(({ link: { url = '', name } }) => (made.length > 1 ? { url, name } : { url }))
    contents.push({ ...about, action: 'access', links: shown, lifetimeSeconds: links.ttlSeconds })
  }
  if (erased) contents.push({ ...about, action: 'erasure' })
  const mails = await context.mails.compose(row, contents, options)
  return [
    { kind: 'downloadLink', insert: made.map((each) => each.row) },
    { kind: 'outboxMail', insert: mails },
  ]
}
