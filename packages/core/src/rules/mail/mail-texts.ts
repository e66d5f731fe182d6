import { PrivacyError } from '../../errors.js'
import type { Mail } from '../../model/mail.js'
import {
  languageTag,
  type MailTemplate,
  type MailTextKind,
  type MailTexts,
  mailTextKinds,
} from '../../model/mail-texts.js'
import { nearestLanguages } from '../package/nearest-languages.js'
import { escapeHtml, html, type Markup } from '../value/html.js'
import {
  type Compiled,
  compileTemplate,
  fillTemplate,
  type Placeholders,
  type TextValues,
} from '../value/text-template.js'
import { defaultMailTexts } from './default-mail-texts.js'
import { type MailContent, mailValues } from './mail-values.js'

export type RenderedMail = Required<Pick<Mail, 'subject' | 'text' | 'html'>>

/** Renders a mail in the requested language or the nearest available one. */
export type MailRenderer = (content: MailContent, language?: string) => RenderedMail

/** The placeholders that the texts of each kind may contain. */
export const mailPlaceholders: Readonly<Record<MailTextKind, Placeholders>> = {
  request_receipt: { required: [], known: ['request_id', 'due_date'], optional: ['due_date'] },
  identity_verification: { required: ['code'], known: ['request_id', 'code', 'minutes', 'lifetime'], optional: [] },
  request_completion_access: { required: ['links'], known: ['request_id', 'links', 'lifetime'], optional: [] },
  request_completion_erasure: { required: [], known: ['request_id'], optional: [] },
  request_review_approved: { required: [], known: ['request_id'], optional: [] },
  request_review_denied: { required: ['reason'], known: ['request_id', 'reason'], optional: ['reason'] },
  request_extension: { required: ['reason', 'due_date'], known: ['request_id', 'reason', 'due_date'], optional: [] },
}

interface CompiledMail {
  readonly subject: Compiled
  readonly text: Compiled
  readonly html: Compiled | undefined
}

function compileMail(kind: MailTextKind, { subject, text, html }: MailTemplate, option: string): CompiledMail {
  const compile = (template: string, place: 'subject' | 'text' | 'html') =>
    compileTemplate(template, place, mailPlaceholders[kind], `${option}.${place}`)
  return {
    subject: compile(subject, 'subject'),
    text: compile(text, 'text'),
    html: html === undefined ? undefined : compile(html, 'html'),
  }
}

const english = 'en'

/**
 * Compiles the host's texts over the built-in English ones. Throws `misconfigured` with the name of the text when it
 * has an unknown placeholder or lacks a required one. A missing text falls back to `defaultLanguage`, then to English.
 */
export function mailTexts(
  texts: MailTexts = {},
  { defaultLanguage = english }: { readonly defaultLanguage?: string } = {},
): MailRenderer {
  const compiled = new Map<string, CompiledMail>()
  const add = (language: string, kind: MailTextKind, template: MailTemplate, option: string) =>
    compiled.set(`${kind}:${language}`, compileMail(kind, template, option))

  for (const kind of mailTextKinds) add(english, kind, defaultMailTexts[kind], kind)
  for (const [language, kinds] of Object.entries(texts)) {
    for (const kind of mailTextKinds) {
      const template = kinds[kind]
      if (template) add(languageTag(language) ?? language, kind, template, `mailTexts.${language}.${kind}`)
    }
  }

  return (content, language) => {
    const kind = kindOf(content)
    for (const candidate of [...nearestLanguages(language), ...nearestLanguages(defaultLanguage), english]) {
      const mail = compiled.get(`${kind}:${candidate}`)
      if (mail) return renderMail(mail, mailValues(content, candidate), candidate)
    }
    throw new PrivacyError('internal', `There is no text for a mail of kind ${kind}.`)
  }
}

function kindOf(content: MailContent): MailTextKind {
  if (content.kind === 'request_completion') return `request_completion_${content.action}`
  if (content.kind === 'request_review') return `request_review_${content.decision}`
  return content.kind
}

const tidy = (text: string): string => text.replace(/\n{3,}/g, '\n\n').trim()

function renderMail(mail: CompiledMail, values: TextValues, language: string): RenderedMail {
  const subject = fillTemplate(mail.subject, values, 'line').trim()
  const text = `${tidy(fillTemplate(mail.text, values, 'text'))}\n`
  const markup = mail.html
    ? fillTemplate(mail.html, values, 'html').trim()
    : paragraphsOf(tidy(fillTemplate(mail.text, values, 'html', escapeHtml)))
  return { subject, text, html: isDocument(markup) ? markup : documentOf(subject, { markup }, language) }
}

const paragraphsOf = (markup: string): string =>
  markup
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n')

const isDocument = (markup: string): boolean => /^<(?:!doctype|html)\b/i.test(markup)

/** The document sets no colours or fonts, so that the reader's settings for dark mode and large print work. */
function documentOf(title: string, body: Markup, language: string): string {
  return html`<!doctype html>
<html lang="${language}" dir="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body style="margin:0 auto;max-width:36em;padding:1em;font-family:sans-serif;line-height:1.5">
<main>
${body}
</main>
</body>
</html>`.markup
}
