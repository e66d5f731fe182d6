import { languageTag } from '../../model/mail-texts.js'
import {
  type CountingKey,
  type CountingText,
  englishPackageTexts,
  type PackageTextKey,
  type PackageTexts,
  type PluralForm,
  packageTextKeys,
} from '../../model/package-texts.js'
import { type Compiled, compileTemplate, fillTemplate, type Placeholders } from '../value/text-template.js'
import { nearestLanguages } from './nearest-languages.js'

/** The texts of a package's pages in one language. */
export interface PackageText {
  /** The language of the pages. Missing texts come from another language. */
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  /** A text with its values inserted. `literal` converts the parts between them. */
  say(key: PackageTextKey, values?: PackageTextValues, literal?: (text: string) => string): string
  /** A text with a count, such as `1,234 records`. */
  count(key: CountingKey, count: number): string
  number(count: number): string
  /** A calendar day, given as `YYYY-MM-DD`. */
  day(iso: string): string
}

export type PackageTextValues = Readonly<Record<string, string | undefined>>

/** Returns the texts of a language, or of the nearest one. */
export type PackageTextOf = (language?: string) => PackageText

/** A compiled text with its own language, whose plural rules apply to it. */
interface CompiledText {
  readonly language: string
  readonly forms: Readonly<Partial<Record<PluralForm, Compiled>>> & { readonly other: Compiled }
}

const english = 'en'
const rightToLeft = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg'])

/**
 * Compiles the host's texts over the built-in English ones. Throws `misconfigured` with the name of the text when it
 * has a placeholder that the English text lacks, or lacks a required one. A missing text falls back to
 * `defaultLanguage`, then to English.
 */
export function packageText(
  texts: PackageTexts = {},
  { defaultLanguage = english }: { readonly defaultLanguage?: string } = {},
): PackageTextOf {
  const compiled = new Map<string, CompiledText>()
  const languages = new Set([english])
  const add = (language: string, key: PackageTextKey, text: string | CountingText, option: string) => {
    const compile = (each: string) => compileTemplate(each, 'text', placeholdersOf(key), option)
    const forms = typeof text === 'string' ? { other: text } : text
    const entries = Object.entries(forms).map(([form, each]) => [form, compile(each)])
    compiled.set(`${key}:${language}`, { language, forms: Object.fromEntries(entries) })
    languages.add(language)
  }
  for (const key of packageTextKeys) add(english, key, englishPackageTexts[key], key)
  for (const [tag, given] of Object.entries(texts)) {
    for (const key of packageTextKeys) {
      const text = given[key]
      if (text !== undefined) add(languageTag(tag) ?? tag, key, text, `packageTexts.${tag}.${key}`)
    }
  }
  // A cache: making a text takes longer than writing a small page. It has at most one item per language.
  const made = new Map<string, PackageText>()
  return (asked) => {
    const order = [...nearestLanguages(asked), ...nearestLanguages(defaultLanguage), english]
    const language = order.find((each) => languages.has(each)) ?? english
    const textOf = (key: PackageTextKey) =>
      order.flatMap((each) => compiled.get(`${key}:${each}`) ?? [])[0] as CompiledText
    const name = order.filter((each) => languages.has(each)).join()
    const known = made.get(name) ?? wordsIn(language, textOf)
    made.set(name, known)
    return known
  }
}

function wordsIn(language: string, textOf: (key: PackageTextKey) => CompiledText): PackageText {
  // The built-in English texts write dates in the British style, like most of the world.
  const written = language === english ? 'en-GB' : language
  const numbers = new Intl.NumberFormat(written)
  const days = new Intl.DateTimeFormat(written, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' })
  return {
    language,
    direction: rightToLeft.has(new Intl.Locale(language).maximize().script ?? '') ? 'rtl' : 'ltr',
    say: (key, values = {}, literal) => filled(textOf(key).forms.other, values, literal),
    count(key, count) {
      const text = textOf(key)
      const form = text.forms[new Intl.PluralRules(text.language).select(count)] ?? text.forms.other
      return filled(form, { count: numbers.format(count) })
    },
    number: (count) => numbers.format(count),
    day: (iso) => days.format(Date.parse(iso)),
  }
}

function filled(text: Compiled, values: PackageTextValues, literal?: (text: string) => string): string {
  const present = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, { text: value, line: value, html: value }] as const],
  )
  return fillTemplate(text, Object.fromEntries(present), 'text', literal)
}

/**
 * A text may contain the placeholders of its English version. It may leave out a number and write it in words (`one
 * record`).
 */
function placeholdersOf(key: PackageTextKey): Placeholders {
  const text: string | CountingText = englishPackageTexts[key]
  const source = typeof text === 'string' ? text : text.other
  const namesIn = (pattern: RegExp) => [...source.matchAll(pattern)].map(([, name]) => name as string)
  const known = [...new Set(namesIn(/\{(\w+)\}/g))]
  const optional = namesIn(/\{#(\w+)\}/g)
  const inSections = [...source.matchAll(/\{#(\w+)\}.*?\{\/\1\}/gs)].join()
  const required = known.filter((name) => name !== 'count' && !inSections.includes(`{${name}}`))
  return { known, optional, required }
}
