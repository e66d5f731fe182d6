import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { escapeHtml } from './html.js'
import { compileTemplate, fillTemplate, type TemplatePlace, textValue } from './text-template.js'

const placeholders = { required: ['code'], known: ['code', 'reason', 'links'], optional: ['reason'] }

const filled = (template: string, given: Record<string, string>, place: TemplatePlace = 'text') => {
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textValue(value)]))
  const form = place === 'subject' ? 'line' : place
  return fillTemplate(compileTemplate(template, place, placeholders, 'x'), values, form)
}

describe('a template', () => {
  it.each<[string, Record<string, string>, string]>([
    ['Code {code}.', { code: '042917' }, 'Code 042917.'],
    ['{ code }{code}', { code: '1' }, '11'],
    ['{code}{#reason} since {reason}{/reason}!', { code: '1', reason: 'x' }, '1 since x!'],
    ['{code}{#reason} since {reason}{/reason}!', { code: '1' }, '1!'],
    ['{code}{#reason} since {reason}{/reason}!', { code: '1', reason: ' \n ' }, '1!'],
    ['{code} { color: red } {} {two words}', { code: '1' }, '1 { color: red } {} {two words}'],
    ['a\r\nb {code}', { code: '1\r\n2\r3' }, 'a\nb 1\n2\n3'],
    // Placeholders inside a value are not filled in.
    ['{code} {#reason}{reason}{/reason}', { code: '{reason}', reason: '{code}{/reason}' }, '{reason} {code}{/reason}'],
  ])('%j with %j', (template, values, text) => expect(filled(template, values)).toBe(text))

  it('holds values on one line in a subject, and escaped in html', () => {
    const given = { code: '<b>"1"\r\n& \u2028\'2\'</b>' }
    expect(filled('{code}', given, 'subject')).toBe('<b>"1" & \'2\'</b>')
    expect(filled('<p title="x">{code}</p>', given, 'html')).toBe(
      '<p title="x">&lt;b&gt;&quot;1&quot;<br>&amp; <br>&#39;2&#39;&lt;/b&gt;</p>',
    )
  })

  it.each<[string, TemplatePlace, string]>([
    ['{kode} {code}', 'text', '{kode}'],
    ['{Code}', 'text', '{Code}'],
    ['{request-id} {code}', 'text', '{request-id}'],
    ['{__proto__} {code}', 'text', '{__proto__}'],
    ['{#when}{/when}{code}', 'text', '{when}'],
    ['no code', 'text', 'lacks {code}'],
    ['<p>no code</p>', 'html', 'lacks {code}'],
    ['{code} {reason}', 'text', 'between {#reason} and {/reason}'],
    ['{code} {#code}{reason}{/code}', 'text', 'between {#reason} and {/reason}'],
    ['{code} {#reason}x', 'text', 'without {/reason}'],
    ['{code} x{/reason}', 'text', '{/reason} without {#reason}'],
    ['{#reason}{#code}{code}{/code}{/reason}', 'text', 'inside {#reason}'],
    ['{#reason}{code}{/code}', 'text', '{/code} without {#code}'],
    ['{links}', 'subject', 'must not have {links}'],
    ['<a href="{code}">x</a>', 'html', 'inside a tag'],
    ["<a href='x' title={code}>x</a>", 'html', 'inside a tag'],
    ['<a title=">" href="{code}">x</a>', 'html', 'inside a tag'],
    ['<{code}>', 'html', 'right after "<"'],
    ['{#reason}<{/reason}b>{code}', 'html', 'right after "<"'],
    ['{code}<sc{#reason}{/reason}ript>', 'html', 'inside a tag'],
    ['{#reason}<!--{/reason}{code}', 'html', 'inside a tag'],
    ['<!-- {code} -->{code}', 'html', 'inside a tag, a comment'],
    ['<!-- {code}', 'html', 'inside a tag, a comment'],
    ['<style>p { color: {code} }</style>{code}', 'html', 'inside a tag'],
    ['<SCRIPT>{code}</script >{code}', 'html', 'inside a tag'],
    ['<script>{code}', 'html', 'inside a tag'],
    ['{code}<a href="x', 'html', 'does not end'],
    ['<a href="{code}', 'html', 'does not end'],
    ['{code}</p', 'html', 'does not end'],
  ])('%s in %s is misconfigured: %s', (template, place, words) => {
    const compile = () => compileTemplate(template, place, placeholders, 'mailTexts.de.x')
    expect(compile).toThrow(words)
    try {
      compile()
    } catch (error) {
      expect(isPrivacyError(error, 'misconfigured') && error.details.option).toBe('mailTexts.de.x')
    }
  })
})

describe('a value', () => {
  it('is well-formed, has one kind of line break, and no other control character', () => {
    const value = textValue('a\u0000\u001b[2J\u009b1m\ud800b\r\nc\td ')
    expect(value).toEqual({ text: 'a[2J1m\ufffdb\nc\td', line: 'a[2J1m\ufffdb c d', html: 'a[2J1m\ufffdb<br>c\td' })
  })

  it('adds no markup except line breaks, and no line to a subject, for any value', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('<', '>', '"', "'", '&', '\r', '\n', '\u2028', '{', '}', '/', '!', '-', 'a', '='),
      }),
    )
    fc.assert(
      fc.property(hostile, (text) => {
        const value = textValue(text)
        if (value === undefined) return
        expect(value.html.replaceAll('<br>', '')).not.toMatch(/[<>"']/)
        expect(value.line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u)
        expect(escapeHtml(value.text).replaceAll('\n', '<br>')).toBe(value.html)
      }),
    )
  })
})
