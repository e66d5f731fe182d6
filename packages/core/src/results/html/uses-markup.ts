import type { PackageText } from '../../rules/package/package-text.js'
import { html, type Markup } from '../../rules/value/html.js'
import type { DescribedUse } from './described-dataset.js'
import { sayMarkup } from './say-markup.js'

/** Why data is held and by which system, one line for each; nothing without a declaration. */
export function usesMarkup(texts: PackageText, uses: readonly DescribedUse[]): Markup | undefined {
  if (uses.length === 0) return undefined
  return html`<ul class="uses">${uses.map((use) => html`<li>${useMarkup(texts, use)}</li>`)}</ul>`
}

function useMarkup(texts: PackageText, { system, use, name }: DescribedUse): Markup {
  const purpose = use ?? name
  const detail = use !== undefined && name !== undefined && name !== use ? html`${name}` : undefined
  return sayMarkup(texts, 'held_by', {
    system: html`<b>${system}</b>`,
    use: purpose === undefined ? undefined : html`<b>${purpose}</b>`,
    detail,
  })
}
