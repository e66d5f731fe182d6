import type { PackageText } from '../../rules/package/package-text.js'
import { html } from '../../rules/value/html.js'
import type { ManualUpload } from '../package-content.js'
import { pageText } from './page.js'
import { memberMarkup } from './value-markup.js'

/** The whole upload for one webhook. */
export function uploadPage(texts: PackageText, name: string, { data }: ManualUpload): string {
  const members = Object.entries(data)
  const lead = members.length === 0 ? texts.say('upload_nothing') : texts.count('upload_lead', members.length)
  return pageText({
    texts,
    title: texts.say('upload_title', { name }),
    trail: [{ name: texts.say('your_data'), href: '../index.html' }],
    head: html`<h1>${name}</h1>
<p class="lead">${lead}</p>`,
    main:
      members.length > 0 &&
      html`<section class="record" aria-label="${name}">
<dl>${members.map(([label, value]) => memberMarkup(texts, label, value))}</dl></section>`,
  })
}
