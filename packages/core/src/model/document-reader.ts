import type * as z from 'zod'
import { readLegacyKeys } from './legacy-names.js'
import { type Parsed, parseInput } from './parse-input.js'

/**
 * Makes a reader for one kind of resource. It also takes the older key names, in the resource and in the objects of
 * `lists`.
 */
export function documentReader<Output>(what: string, schema: z.ZodType<Output>, lists: readonly string[] = []) {
  return (input: unknown): Parsed<Output> => {
    const legacy = readLegacyKeys(input, lists)
    const { value, warnings } = parseInput(what, schema, legacy.input, { locate: legacy.locate })
    return { value, warnings: [...legacy.warnings, ...warnings] }
  }
}
