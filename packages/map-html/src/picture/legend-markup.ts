import { html, type Markup } from '@habeas/core'
import type { Picture } from './picture.js'

/** What shapes, colours and lines mean. */
export function legendMarkup({ legend }: Picture): Markup {
  return html`<details id="legend"><summary>Legend</summary><ul>${legend.map(
    ({ label, kind, tone, edge }) => html`
<li${kind && html` data-kind="${kind}"`}${tone && html` data-tone="${tone}"`}>${
      edge
        ? html`<span class="line" data-edge="${edge}" aria-hidden="true"></span>`
        : html`<span class="mark" aria-hidden="true"></span>`
    }${label}</li>`,
  )}
</ul></details>`
}
