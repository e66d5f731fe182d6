import type { PackageTextKey } from '../../model/package-texts.js'
import type { PackageText } from '../../rules/package/package-text.js'
import { escapeHtml, type Markup } from '../../rules/value/html.js'

/** A text of the pages whose values are markup. */
export function sayMarkup(
  texts: PackageText,
  key: PackageTextKey,
  values: Readonly<Record<string, Markup | undefined>>,
): Markup {
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value?.markup]))
  return { markup: texts.say(key, given, escapeHtml) }
}
