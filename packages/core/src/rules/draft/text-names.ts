import type { NamePattern } from './name-patterns.js'

/* Names of free texts, and of columns that mean something else in tables of mails. */

/** Free texts in which people write about themselves or about others. */
const texts =
  /(^|_)(remark|note|comment|feedback|bemerkung|notiz|kommentar|nachricht|beschreibung)(s|en|e)?(_(text|preview))?$|^(body|message|description|bio|about|reason|content|text|inhalt)(_(text|html|plain|preview|excerpt|snippet))?$/
/** People name their files: `ann-mri.pdf`. */
const fileNames = /(^|_)file_?name$|^(attachment|original)s?(_?name)?$/
const subjects = /^(subject|title|betreff|titel)(_(line|text))?$/
/** Tables of what has a subject that somebody has written. */
const letters =
  /(^|_)(e_?mail|mail|smtp|inbox|outbox|message|sms|letter|ticket|thread|conversation|chat|inquir(y|ie)|enquir(y|ie)|nachricht|anfrage|brief)(s|en|e)?(_|$)/

/** Tables of mails, in which `to_address` is no postal address, and not of what sends them. */
const mails =
  /(^|_)(e_?mail|mail|smtp|inbox|outbox)s?(_(?!.*(template|setting|config|configuration|server|domain|provider)s?$)|$)/
const mailAddress: NamePattern = {
  name: /^(mail_)?((to|from|cc|bcc|reply_?to|sender|recipient|rcpt(_?to)?|envelope_(from|to))(_?(addr|address)(es)?)?|recipients|return_path|addr(ess)?)$/,
  category: 'user.contact.email',
  confidence: 0.9,
  like: 'an email address, in a table of mails',
}

/** Whether a column is named like a free text, in a table with this name. Both names are in snake case. */
export function isNamedLikeText(table: string, column: string): boolean {
  return texts.test(column) || fileNames.test(column) || (subjects.test(column) && letters.test(table))
}

/** What a column of a table of mails suggests, whatever it suggests elsewhere. Both names are in snake case. */
export function mailPatternOf(table: string, column: string): NamePattern | undefined {
  return mails.test(table) && mailAddress.name.test(column) ? mailAddress : undefined
}
