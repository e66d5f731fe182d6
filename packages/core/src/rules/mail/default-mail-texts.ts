import type { MailTemplate, MailTextKind } from '../../model/mail-texts.js'

const paragraphs = (...texts: string[]): string => texts.join('\n\n')

const reference = 'Your reference: {request_id}'

const remedy =
  'If you do not agree, you may complain to the data protection authority responsible for you, and seek a remedy in court.'

/** The default texts of mails. They contain nothing from the caller who submitted a request. */
export const defaultMailTexts: Readonly<Record<MailTextKind, MailTemplate>> = {
  request_receipt: {
    subject: 'We have received your request',
    text: paragraphs(
      'We have received your request about your personal data and will take care of it.',
      '{#due_date}We will answer by {due_date} at the latest.{/due_date}',
      'If you did not make this request, please contact us.',
      reference,
    ),
  },
  identity_verification: {
    subject: 'Please confirm your request',
    text: paragraphs(
      'To confirm that you made the request about your personal data, enter this code:',
      '{code}',
      'It is valid for {lifetime} and can be used once. Do not pass it on: we will never ask you for it.',
      'If you did not make this request, ignore this mail. Nothing happens without the code.',
      reference,
    ),
  },
  request_completion_access: {
    subject: 'Your data is ready',
    text: paragraphs(
      'Your request is complete.',
      '{#links}Here you can download the data we hold about you:',
      '{links}',
      'A link can be used once, within {lifetime}. Keep what you download in a safe place: it is about you.{/links}',
      'If you need a link, or a new one because yours no longer works, contact us.',
      reference,
    ),
  },
  request_completion_erasure: {
    subject: 'Your request for erasure is complete',
    text: paragraphs(
      'Your request is complete. We have erased the data about you that it covers.',
      'Data that the law obliges us to keep remains until that obligation ends.',
      reference,
    ),
  },
  request_review_approved: {
    subject: 'Your request has been accepted',
    text: paragraphs('We have reviewed your request about your personal data and are working on it.', reference),
  },
  request_review_denied: {
    subject: 'Your request has been declined',
    text: paragraphs(
      'We have reviewed your request about your personal data and cannot grant it.',
      '{#reason}Reason: {reason}{/reason}',
      remedy,
      reference,
    ),
  },
  request_extension: {
    subject: 'We need more time for your request',
    text: paragraphs(
      'We are working on your request about your personal data, and need more time for it than we had planned.',
      'Reason: {reason}',
      'We will answer by {due_date} at the latest.',
      remedy,
      reference,
    ),
  },
}
