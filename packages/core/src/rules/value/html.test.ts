import { expect, it } from 'vitest'
import { html } from './html.js'

it.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  [`" onload="x" '`, '&quot; onload=&quot;x&quot; &#39;'],
  ['&lt;', '&amp;lt;'],
  ['`', '&#96;'],
  ['a\u0000b\u001bc\u007fd\u0085e', 'a␀b␛c␡d\ufffde'],
  ['a\tb\nc\r\nd\re', 'a\tb\nc\nd␍e'],
])('escapes %j', (text, markup) => {
  expect(html`<p title="${text}">${text}</p>`.markup).toBe(`<p title="${markup}">${markup}</p>`)
})

it('joins lists, keeps markup, and leaves nothing for absent values', () => {
  expect(html`${[html`<b>${'<'}</b>`, 1, false, undefined, ['>', []]]}`.markup).toBe('<b>&lt;</b>1&gt;')
})
