import { isTypedText, type Value } from '@habeas/core'

/** As a server with a loose collation does: case, surrounding blanks, and text against numbers do not count. */
export const insensitiveText = (value: Value | undefined): string | undefined => {
  if (value === null || value === undefined || (typeof value === 'object' && !isTypedText(value))) return undefined
  const text = String(isTypedText(value) ? value.text : value)
    .trim()
    .toLowerCase()
  return text === '' || Number.isNaN(Number(text)) ? text : String(Number(text))
}

/** A tuple of values as one text. */
export const tupleText = (parts: readonly string[]): string => JSON.stringify(parts)
