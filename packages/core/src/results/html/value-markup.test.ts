import { describe, expect, it } from 'vitest'
import { packageText } from '../../rules/package/package-text.js'
import { reasonText } from './reason-text.js'
import { timeText } from './time-text.js'
import { valueMarkup } from './value-markup.js'

const texts = packageText()()

it.each([
  ['2024-05-01', '1 May 2024'],
  ['1984-02-29', '29 February 1984'],
  ['2024-05-01T10:20:30Z', '1 May 2024, 10:20:30 UTC'],
  ['2024-05-01T10:20:30.482193+02:00', '1 May 2024, 10:20:30.482193 UTC+02:00'],
  ['2024-05-01T10:20:30.000Z', '1 May 2024, 10:20:30 UTC'],
  ['2024-05-01T10:20', '1 May 2024, 10:20'],
  ['2024-02-30', undefined],
  ['2024-05-01T25:00:00Z', undefined],
  ['2024-05', undefined],
  ['born 2024-05-01', undefined],
  ['0000-01-01', undefined],
  ['0042-03-01', '1 March 42'],
])('%s reads %s', (text, written) => {
  expect(timeText(texts, text)).toBe(written)
})

describe('a value', () => {
  const none = (text: string) => `<span class="none">${text}</span>`

  it.each([
    [null, none('no value')],
    ['', none('empty text')],
    [' \n', none('blank text')],
    [[], none('empty list')],
    [{}, none('nothing')],
    [true, 'yes'],
    [false, 'no'],
    [0, '0'],
    [-12.5, '-12.5'],
    ['9007199254740993', '9007199254740993'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['https://example.com/?a=1&b', 'https://example.com/?a=1&amp;b'],
    ['2024-05-01', '<time datetime="2024-05-01">1 May 2024</time>'],
    [['a', null], `<ul><li dir="auto">a</li><li dir="auto">${none('no value')}</li></ul>`],
    [{ '<b>': 1 }, '<dl><div><dt dir="auto">&lt;b&gt;</dt><dd dir="auto">1</dd></div></dl>'],
  ])('%j', (value, markup) => {
    expect(valueMarkup(texts, value).markup).toBe(markup)
  })

  it('nested without end ends as JSON', () => {
    let value: unknown = '<i>'
    for (let depth = 0; depth < 1000; depth++) value = [{ a: value }]
    const { markup } = valueMarkup(texts, value)
    expect(markup).toMatch(/\[\s*\{\s*&quot;a&quot;:/)
    expect(markup).not.toContain('<i>')
  })

  it('of many words gets a box to scroll in', () => {
    expect(valueMarkup(texts, 'word '.repeat(1000)).markup).toMatch(/^<div class="long" dir="auto" tabindex="0">word /)
  })
})

it.each([
  ['disabled', 'The connection to this place is switched off.'],
  ['behind: crm:person', 'It can only be reached through a place that was not searched (crm:person).'],
  ['identity not provided: ssn', 'It can only be searched with information that the request did not give (ssn).'],
  ['something new', 'something new'],
  ['constructor', 'constructor'],
])('the reason %j reads %j', (reason, told) => {
  expect(reasonText(texts, reason)).toBe(told)
})
