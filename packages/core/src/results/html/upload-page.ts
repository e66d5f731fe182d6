import type { ManualUpload } from '../package-content.js'
import { html } from './markup.js'
import { counted, pageText } from './page.js'
import { memberMarkup } from './value.js'

/** What was uploaded for one webhook, whole. */
export function uploadPage(name: string, { data }: ManualUpload): string {
  const members = Object.entries(data)
  const nothing = 'This place was searched by hand, and nothing about you was found.'
  return pageText({
    title: `${name} – Your data`,
    trail: [{ name: 'Your data', href: '../index.html' }],
    head: html`<h1>${name}</h1>
<p class="lead">${members.length === 0 ? nothing : `${counted(members.length, 'field')} put together by hand.`}</p>`,
    main:
      members.length > 0 &&
      html`<section class="record" aria-label="${name}">
<dl>${members.map(([label, value]) => memberMarkup(label, value))}</dl></section>`,
  })
}
