import * as z from 'zod'

const preserved = {
  /** A suffix for every masked text. It is never cut. */
  format_preservation: z.strictObject({ suffix: z.string() }).exactOptional(),
}
const hashing = z
  .strictObject({ algorithm: z.enum(['SHA-256', 'SHA-512']).default('SHA-256'), ...preserved })
  .prefault({})
const nothing = z.strictObject({}).prefault({})

function strategy<Name extends string, Configuration extends z.ZodType>(name: Name, configuration: Configuration) {
  return z.strictObject({ strategy: z.literal(name), configuration })
}

const options = [
  strategy('null_rewrite', nothing),
  strategy('string_rewrite', z.strictObject({ rewrite_value: z.string(), ...preserved })),
  strategy(
    'random_string_rewrite',
    z.strictObject({ length: z.int().min(1).max(10_000).default(30), ...preserved }).prefault({}),
  ),
  strategy('hash', hashing),
  strategy('hmac', hashing),
  strategy('aes_encrypt', z.strictObject({ mode: z.literal('GCM').default('GCM'), ...preserved }).prefault({})),
  strategy('preserve', nothing),
] as const

const unknownStrategy = (names: readonly string[]) => ({
  error: (issue: z.core.$ZodRawIssue) => {
    if (issue.code === 'invalid_type') return 'must be an object such as { strategy: null_rewrite }'
    return issue.code === 'invalid_union' ? `must be one of ${names.join(', ')}` : undefined
  },
})
const fieldStrategies = options.map((option) => option.shape.strategy.value)

/** How the value of one field is masked. It is strict, because a typo would change what is erased. */
export const fieldMaskingSchema = z.discriminatedUnion('strategy', options, unknownStrategy(fieldStrategies))

/** How an erasure rule masks: as a field does, or `delete` for whole rows. */
export const ruleMaskingSchema = z.discriminatedUnion(
  'strategy',
  [...options, strategy('delete', nothing)],
  unknownStrategy([...fieldStrategies, 'delete']),
)

export type MaskingStrategy = z.output<typeof ruleMaskingSchema>

/**
 * The text that a strategy writes into a row: none, the same into every row, or its own for each value or row. Only the
 * last can stand in a unique column.
 */
export const maskedTexts: Readonly<Record<MaskingStrategy['strategy'], 'none' | 'same' | 'own'>> = {
  null_rewrite: 'none',
  string_rewrite: 'same',
  random_string_rewrite: 'own',
  hash: 'own',
  hmac: 'own',
  aes_encrypt: 'own',
  preserve: 'none',
  delete: 'none',
}
