import { sealText } from '../../crypto/data-key.js'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import type { OutboxMailRow, PrivacyRequestRow } from '../../ports/rows.js'
import { mailRecipient } from '../../rules/mail/mail-recipient.js'
import type { MailRenderer } from '../../rules/mail/mail-texts.js'
import type { MailContent } from '../../rules/mail/mail-values.js'
import type { ActionContext } from '../action-context.js'
import { notDone } from '../not-done.js'
import { openPersonalData } from '../requests/personal-data.js'

export interface MailSettings {
  readonly render: MailRenderer
  /** False: there is no mailer, and mails are recorded as not sent. */
  readonly sends: boolean
  /** The kinds that are sent. The mail with the code is always sent. */
  readonly kinds: Readonly<Record<Exclude<MailContent['kind'], 'identity_verification'>, boolean>>
  /** Host name for Message-IDs. */
  readonly domain: string
}

/** The opened personal data of a request. */
export interface OpenedRequest {
  readonly dataKey: Uint8Array
  readonly identities: readonly Identity[]
}

/** The sealed part of a mail. */
export interface MailNotification {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The context to which a mail is sealed. */
export const mailSeal = ({ id, requestId }: Pick<OutboxMailRow, 'id' | 'requestId'>) => `${requestId}/mail/${id}`

export interface ComposeOptions {
  readonly opened?: OpenedRequest
  /** After this the mail is of no use. */
  readonly notAfter?: string
  /** True: when a request cannot be opened, its mails are recorded as not sent. */
  readonly whateverHappens?: boolean
}

/**
 * Rows for the outbox: a rendered and sealed mail for each content, to be stored together with the event it reports. A
 * mail that cannot be written becomes a row that says so, because a mail must not change the course of its request.
 * Rejects when the storage or the secrets are away for a moment, so that the event is repeated together with its mail.
 * A request that the person has not made gets no mails.
 */
export function requestMails(context: ActionContext, settings: MailSettings | undefined) {
  const { runtime } = context

  async function compose(
    request: Pick<PrivacyRequestRow, 'id' | 'language' | 'mailsSuppressed'>,
    contents: readonly MailContent[],
    { opened, notAfter, whateverHappens = false }: ComposeOptions = {},
  ): Promise<OutboxMailRow[]> {
    if (settings === undefined || request.mailsSuppressed) return []
    const wanted = contents.filter(({ kind }) => kind === 'identity_verification' || settings.kinds[kind])
    if (wanted.length === 0) return []
    const now = runtime.now().toISOString()
    const base = (content: MailContent) => {
      const id = runtime.newId()
      const messageId = `<${id}@${settings.domain}>`
      return { id, version: 1, requestId: request.id, kind: content.kind, messageId, attempts: 0, createdAt: now }
    }
    const unsent = (lastError: string) =>
      wanted.map((content): OutboxMailRow => ({ ...base(content), status: 'not_sent', lastError }))
    if (!settings.sends) return unsent('The service has no mailer.')
    const failed = (error: unknown) => {
      notDone(context, 'mails', 'write a mail', request.id)(error)
      return unsent(`The mail could not be written: ${PrivacyError.from(error).message}`)
    }
    let found = opened
    try {
      found ??= await openPersonalData(context, request.id)
    } catch (error) {
      if (whateverHappens || isPrivacyError(error, 'gone')) return failed(error)
      throw error
    }
    const { dataKey, identities } = found
    const recipient = mailRecipient(identities)
    if ('problem' in recipient) return unsent(recipient.problem)
    try {
      return wanted.map((content): OutboxMailRow => {
        const row = base(content)
        const notification: MailNotification = { ...recipient, ...settings.render(content, request.language) }
        const sealed = sealText(dataKey, runtime, mailSeal(row), JSON.stringify(notification))
        return { ...row, status: 'waiting', nextAttemptAt: now, sealed, ...(notAfter !== undefined && { notAfter }) }
      })
    } catch (error) {
      return failed(error)
    }
  }

  return { compose }
}

export type RequestMails = ReturnType<typeof requestMails>
