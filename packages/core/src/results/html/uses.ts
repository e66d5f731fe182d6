import type { DescribedUse } from './data-map.js'
import { html, type Markup } from './markup.js'

/** Why data is held and by which system, one line for each; nothing where nobody declared it. */
export function usesMarkup(uses: readonly DescribedUse[]): Markup | undefined {
  if (uses.length === 0) return undefined
  return html`<ul class="uses">${uses.map((use) => html`<li>${useMarkup(use)}</li>`)}</ul>`
}

function useMarkup({ system, use, name }: DescribedUse): Markup {
  const purpose = use ?? name
  if (purpose === undefined) return html`Held by <b>${system}</b>`
  const detail = use !== undefined && name !== undefined && name !== use && html` (${name})`
  return html`Held by <b>${system}</b> for <b>${purpose}</b>${detail}`
}
