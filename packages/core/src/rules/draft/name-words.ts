/** The words of a column's or table's name, in snake case. */
export function snakeCase(name: string): string {
  return name
    .replace(/[äöüß]/gi, (letter) => transliterated[letter.toLowerCase()] as string)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
}

const transliterated: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** The own name of a member with a dotted name. */
export const lastPart = (name: string) => name.slice(name.lastIndexOf('.') + 1)

/** A cache, since plans ask for the same names of a schema many times. */
const known = new Map<string, readonly string[]>()
const mostKnown = 50_000

/** The words of a name, each in the singular, without the prefix of a naming scheme. */
export function nameWords(name: string): readonly string[] {
  const words = known.get(name) ?? wordsOf(name)
  if (known.size >= mostKnown) known.clear()
  known.set(name, words)
  return words
}

function wordsOf(name: string): readonly string[] {
  const words = snakeCase(name)
    .replace(/(^|_)e_mail/g, '$1email')
    .replace(/^(tbl|tb|t)_(?=.)/, '')
    .split('_')
    .filter((word) => word !== '')
  return words.map(singular)
}

function singular(word: string): string {
  if (word === 'people') return 'person'
  if (word === 'ids') return 'id'
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y')
  if (/(ss|sh|ch|x|z|atus)es$/.test(word)) return word.slice(0, -2)
  return /[^sui]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word
}
