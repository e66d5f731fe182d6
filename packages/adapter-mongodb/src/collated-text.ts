import type { Document } from 'mongodb'

const sensitivities = ['variant', 'base', 'accent'] as const

/**
 * One text for all texts that a collation takes for equal to one of these. Any other text stays as it is. JavaScript and the
 * server compare by the same tables, those of ICU.
 */
export function collatedText(collation: Document, texts: readonly string[]): (text: string) => string {
  const { compare } = collator(collation)
  const sorted = [...new Set(texts)].sort(compare)
  return (text) => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (compare(sorted[middle] as string, text) < 0) from = middle + 1
      else to = middle
    }
    const first = sorted[from]
    return first !== undefined && compare(first, text) === 0 ? first : text
  }
}

function collator({ locale, strength, alternate, numericOrdering }: Document): Intl.Collator {
  const options = {
    sensitivity: sensitivities[Number(strength ?? 3)] ?? 'variant',
    ignorePunctuation: alternate === 'shifted',
    numeric: numericOrdering === true,
  }
  try {
    return new Intl.Collator(String(locale).replace(/@.*/, '').replaceAll('_', '-'), options)
  } catch {
    return new Intl.Collator('und', options)
  }
}
