import { createHash } from 'node:crypto'

// The longest name is below the usual limit of 255 bytes, with room for the endings of file names.
const longestName = 200

// This encodes code units, so that even text that is not well-formed Unicode gets a name of its own.
const encode = (unit: string): string => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const nameOf = (part: string): string => {
  if (part === '') return '%'
  const name = part.replace(/[^a-z0-9_-]/g, encode)
  return name.length <= longestName ? name : `%h${createHash('sha256').update(name).digest('hex')}`
}

/**
 * Returns one file name for each part of a blob's key. Different keys have different names. No name holds a separator, a
 * dot or a capital letter, so that no key leads out of a directory, and two keys never meet on a file system that ignores
 * case.
 */
export const blobPath = (key: string): readonly string[] => key.split('/').map(nameOf)
