import * as z from 'zod'
import { absentable } from './document.js'

export const dataTypeNames = ['string', 'integer', 'float', 'boolean', 'object_id', 'object'] as const
export type DataTypeName = (typeof dataTypeNames)[number]

/** The declared type of a field: a name, or a list of that type. */
export type DataType = DataTypeName | `${DataTypeName}[]`

/** Reads a declared type. It ignores what follows the first `[]`. Without a known name there is no type. */
export function parseDataType(text: string | null | undefined): { type?: DataTypeName; array: boolean } {
  const [name, ...rest] = (text ?? '').split('[]')
  const type = dataTypeNames.find((known) => known === name)
  return type ? { type, array: rest.length > 0 } : { array: false }
}

/** Empty text counts as no type. */
export const dataTypeSchema = absentable(
  z
    .string()
    .refine(
      (text) => text === '' || parseDataType(text).type,
      `must be one of ${dataTypeNames.join(', ')}, each optionally followed by []`,
    )
    .transform((text): DataType | undefined => {
      const { type, array } = parseDataType(text)
      return type && (array ? `${type}[]` : type)
    }),
)
