import { PrivacyError } from '../../errors.js'
import { html } from '../value/html.js'
import { type TextValue, type TextValues, textValue } from '../value/text-template.js'

/** A one-time link to a package. `name` tells several links apart. */
export interface MailLink {
  readonly url: string
  readonly name?: string
}

/** The values of a mail. Nothing else reaches its text. */
export type MailContent = { readonly requestId: string } & (
  | { readonly kind: 'request_receipt'; readonly dueAt?: string; readonly timeZone?: string }
  | { readonly kind: 'identity_verification'; readonly code: string; readonly minutes: number }
  | {
      readonly kind: 'request_completion'
      readonly action: 'access'
      readonly links: readonly MailLink[]
      readonly lifetimeSeconds: number
    }
  | { readonly kind: 'request_completion'; readonly action: 'erasure' }
  | { readonly kind: 'request_review'; readonly decision: 'approved' }
  | { readonly kind: 'request_review'; readonly decision: 'denied'; readonly reason?: string }
  | {
      readonly kind: 'request_extension'
      readonly reason: string
      readonly dueAt: string
      readonly timeZone?: string
    }
)

/** The values of a mail's placeholders. Numbers, dates and durations follow the language. */
export function mailValues(content: MailContent, language: string): TextValues {
  const values = { request_id: textValue(content.requestId) }
  if (content.kind === 'request_receipt') {
    return { ...values, due_date: dateValue(content, language) }
  }
  if (content.kind === 'identity_verification') {
    const minutes = textValue(new Intl.NumberFormat(language).format(content.minutes))
    return { ...values, code: textValue(content.code), minutes, lifetime: lifetime(content.minutes * 60, language) }
  }
  if (content.kind === 'request_completion' && content.action === 'access') {
    return { ...values, links: linksValue(content.links), lifetime: lifetime(content.lifetimeSeconds, language) }
  }
  if (content.kind === 'request_review' && content.decision === 'denied') {
    return { ...values, reason: textValue(content.reason ?? '') }
  }
  if (content.kind === 'request_extension') {
    return { ...values, reason: textValue(content.reason), due_date: dateValue(content, language) }
  }
  return values
}

interface Due {
  readonly dueAt?: string
  readonly timeZone?: string
}

function dateValue({ dueAt, timeZone = 'UTC' }: Due, language: string): TextValue | undefined {
  if (dueAt === undefined) return undefined
  return textValue(new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(Date.parse(dueAt)))
}

const units = [
  ['day', 86_400, 2],
  ['hour', 3_600, 1],
  ['minute', 60, 1],
] as const

/** A duration in words, rounded down: 24 hours, 90 minutes, 7 days. */
function lifetime(seconds: number, language: string): TextValue | undefined {
  const [unit, size] = units.find(([, size, least]) => seconds >= 2 * size || seconds === least * size) ?? ['second', 1]
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return textValue(format.format(Math.floor(seconds / size)))
}

function linksValue(links: readonly MailLink[]): TextValue | undefined {
  const read = links.map(({ url, name }) => {
    const { protocol, href } = new URL(url)
    if (protocol !== 'https:' && protocol !== 'http:') {
      throw new PrivacyError('internal', 'A link in a mail must begin with https:// or http://.')
    }
    return { href, name: textValue(name ?? '') }
  })
  if (read.length === 0) return undefined
  return {
    text: read.map(({ href, name }) => (name ? `${name.line}: ${href}` : href)).join('\n'),
    line: read.map(({ href }) => href).join(' '),
    html: read.map(({ href, name }) => html`<a href="${href}">${name?.line ?? href}</a>`.markup).join('<br>'),
  }
}
