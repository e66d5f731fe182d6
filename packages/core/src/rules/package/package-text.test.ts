import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import {
  englishPackageTexts,
  type PackageTexts,
  packageTextKeys,
  packageTextsSchema,
} from '../../model/package-texts.js'
import { packageText } from './package-text.js'

const german: PackageTexts = {
  de: {
    your_data: 'Ihre Daten',
    records: { one: '{count} Eintrag', other: '{count} Einträge' },
    held_by: 'Bei {system}{#use}, für {use}{/use}{#detail}, {detail}{/detail}',
  },
}

describe('the texts of a package', () => {
  it('are English by default', () => {
    const words = packageText()('de')
    expect([words.language, words.direction]).toEqual(['en', 'ltr'])
    expect(words.count('records', 1)).toBe('1 record')
    expect(words.count('records', 1_234)).toBe('1,234 records')
    expect(words.say('held_by', { system: 'A' })).toBe('Held by A')
    expect(words.say('held_by', { system: 'A', use: 'B', detail: '' })).toBe('Held by A for B')
    expect(words.day('2024-05-01')).toBe('1 May 2024')
  })

  it.each([
    ['de-AT', 'de', 'Ihre Daten', '1.234 Einträge', '1. Mai 2024'],
    ['fr', 'en', 'Your data', '1,234 records', '1 May 2024'],
    [undefined, 'en', 'Your data', '1,234 records', '1 May 2024'],
    ['no language', 'en', 'Your data', '1,234 records', '1 May 2024'],
  ])('of a person who reads %s are in %s', (asked, language, data, records, day) => {
    const words = packageText(german)(asked)
    expect([words.language, words.say('your_data'), words.count('records', 1_234), words.day('2024-05-01')]).toEqual([
      language,
      data,
      records,
      day,
    ])
  })

  it('fall back to the default language, then to English, with the plural rules of that language', () => {
    const texts = { ...german, pl: { yes: 'tak' } }
    const words = packageText(texts, { defaultLanguage: 'de' })('pl')
    expect([words.language, words.say('yes'), words.say('your_data'), words.say('no')]).toEqual([
      'pl',
      'tak',
      'Ihre Daten',
      'no',
    ])
    // In Polish, 5 is 'many'. German and English have no such form.
    expect([words.count('records', 5), words.count('fields', 5)]).toEqual(['5 Einträge', '5 fields'])
    expect(packageText(german, { defaultLanguage: 'de' })('fr').language).toBe('de')
  })

  it('use the plural rules of their language', () => {
    const records = {
      one: '{count} rekord',
      few: '{count} rekordy',
      many: '{count} rekordów',
      other: '{count} rekordu',
    }
    const words = packageText({ pl: { records } })('pl')
    expect([1, 2, 5, 22].map((count) => words.count('records', count))).toEqual([
      '1 rekord',
      '2 rekordy',
      '5 rekordów',
      '22 rekordy',
    ])
    expect(packageText({ ja: { records: '{count}件' } })('ja').count('records', 1)).toBe('1件')
    const saidInWords = packageText({ en: { records: { one: 'a single record', other: '{count} records' } } })()
    expect(saidInWords.count('records', 1)).toBe('a single record')
  })

  it.each([
    ['ar', 'rtl'],
    ['he-IL', 'rtl'],
    ['az-Arab', 'rtl'],
    ['az', 'ltr'],
  ] as const)('in %s run %s', (language, direction) => {
    expect(packageText({ [language]: { yes: 'x' } })(language).direction).toBe(direction)
  })

  it('show days by the calendar of ISO 8601 in every language', () => {
    for (const language of ['th', 'fa', 'ar-SA']) {
      const digits = packageText({ [language]: { yes: 'x' } })(language)
        .day('2024-05-01')
        .normalize('NFKD')
      expect(digits.replace(/\p{Nd}/gu, (digit) => String((digit.codePointAt(0) as number) & 15))).toMatch(/2024|4202/)
    }
  })

  it.each<[string, PackageTexts, string, RegExp]>([
    ['an unknown value', { de: { yes: '{count} ja' } }, 'packageTexts.de.yes', /knows only/],
    ['a lost value', { de: { your_data_at: 'Ihre Daten' } }, 'packageTexts.de.your_data_at', /lacks \{organization\}/],
    [
      'a value that may be missing',
      { de: { held_by: '{system} {use}' } },
      'packageTexts.de.held_by',
      /may have no value/,
    ],
    ['half a section', { de: { held_by: '{system} {#use}' } }, 'packageTexts.de.held_by', /without \{\/use\}/],
  ])('with %s are misconfigured', (_, texts, option, problem) => {
    try {
      packageText(texts)
      expect.unreachable()
    } catch (error) {
      expect(isPrivacyError(error, 'misconfigured') && [error.details.option, problem.test(error.message)]).toEqual([
        option,
        true,
      ])
    }
  })
})

describe('the shape of the option', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [german, true],
    [{ 'de-AT': {} }, true],
    [{ 'no language': {} }, false],
    [{ de: { your_dater: 'x' } }, false],
    [{ de: { yes: ' ' } }, false],
    [{ de: { yes: { other: 'ja' } } }, false],
    [{ de: { records: { one: '1' } } }, false],
    [{ de: { records: { other: 'x', several: 'y' } } }, false],
  ])('%j: %s', (given, valid) => expect(packageTextsSchema.safeParse(given).success).toBe(valid))
})

describe('docs/package-texts.md', () => {
  const page = readFileSync(new URL('../../../../../docs/package-texts.md', import.meta.url), 'utf8')

  it('has an example that compiles', () => {
    const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const texts = packageTextsSchema.parse(new Function(`${example}; return packageTexts`)())
    const words = packageText(texts)('de-AT')
    expect([words.say('your_data'), words.count('records', 2)]).toEqual(['Ihre Daten', '2 Einträge'])
  })

  it('lists every text unchanged', () => {
    const listed = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, key, text]) => [key, text])
    const told = packageTextKeys.map((key) => {
      const text: string | Readonly<Record<string, string>> = englishPackageTexts[key]
      return [
        key,
        typeof text === 'string'
          ? text
          : Object.entries(text)
              .map(([form, each]) => `${form}: ${each}`)
              .join('<br>'),
      ]
    })
    expect(listed).toEqual(told)
  })
})
