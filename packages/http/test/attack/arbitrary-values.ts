import fc, { type Arbitrary } from 'fast-check'
import { changedAt, placesOf } from './bodies.js'
import { openApi } from './described.js'

interface JsonSchema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
}

/** Keys of what there is, and of what there may come to be, so that calls meet each other. */
export const keys = [
  ...['spare', 'shop', 'fresh', 'warehouse', 'lake', 'user', 'user.contact.email', 'default_organization'],
  ...['default_access_policy', 'default_erasure_policy', 'customer', 'essential', 'aggregated', 'a', 'b', 'a.b'],
]

/** What nobody should send. */
export const oddities: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 53, -(2 ** 53), 1e308, -0, [], {}, [[]], [{}], [null], { a: null }],
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    'toString',
    '..',
    '.',
    'a/b',
    '\u202e',
    '😀',
    'a'.repeat(300),
  ],
  ...[
    'null',
    '2024-02-30',
    '0000-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59-23:59',
    'P99999999999Y',
    'x'.repeat(5_000),
  ],
  ...[
    { constructor: { prototype: { polluted: 1 } } },
    { toString: 1 },
    { length: 2 },
    JSON.parse('{"then": 1}'),
    { toJSON: 1 },
    Array(60).fill('a'),
  ],
]
const odd = fc.constantFrom(...oddities)

const text = fc.oneof(
  { arbitrary: fc.constantFrom(...keys), weight: 6 },
  { arbitrary: fc.string({ maxLength: 12 }), weight: 2 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }), weight: 1 },
  {
    arbitrary: fc.constantFrom(
      'https://example.com/a',
      'shop:customers',
      'customers.id',
      'P10Y',
      'CAN',
      'a@example.com',
    ),
    weight: 3,
  },
)

function textOf({ format, pattern }: JsonSchema): Arbitrary<unknown> {
  if (format === 'date-time')
    return fc.oneof(
      fc.constant('2024-05-01T12:00:00Z'),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    )
  if (format === 'date') return fc.constantFrom('2024-05-01', '1970-01-01')
  if (format === 'uri') return fc.constantFrom('https://example.com', 'http://a', 'ftp://a')
  return pattern?.includes('{0,255}') || pattern?.includes('{1,255}') ? fc.constantFrom(...keys) : text
}

const anything = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.dictionary(text, text, { maxKeys: 2 }),
)

/** Values a schema describes, for the most part: what it says of lengths and patterns is left to chance. */
function describedValue(schema: JsonSchema, depth = 0): Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, type } = schema
  if ($ref !== undefined) return fc.constant(null).chain(() => describedValue(resolved($ref), depth))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const options = anyOf ?? oneOf
  if (options) return fc.oneof(...options.map((option) => describedValue(option, depth)))
  if (Array.isArray(type))
    return fc.oneof(...type.map((one: string) => describedValue({ ...schema, type: one }, depth)))
  switch (type) {
    case 'string':
      return textOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? 0, -1_000), max: Math.min(schema.maximum ?? 1_000, 100_000) })
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    case 'array':
      return listOf(schema, depth)
    case 'object':
      return objectOf(schema, depth)
    default:
      return anything
  }
}

function resolved($ref: string): JsonSchema {
  const name = $ref.replace('#/components/schemas/', '')
  return openApi.components.schemas[name] as JsonSchema
}

const deepest = 9

function listOf({ items, minItems = 0 }: JsonSchema, depth: number): Arbitrary<unknown> {
  if (!items || depth > deepest) return fc.constant([])
  return fc.array(describedValue(items, depth + 1), { minLength: minItems, maxLength: Math.max(minItems, 2) })
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  depth: number,
): Arbitrary<unknown> {
  if (depth > deepest) return fc.constant({})
  const members = Object.entries(properties).map(([name, member]) => [name, describedValue(member, depth + 1)] as const)
  const known = fc.record(Object.fromEntries(members), { requiredKeys: required.filter((name) => name in properties) })
  if (typeof additionalProperties !== 'object') return known
  const names = fc.constantFrom('email', 'phone_number', 'user_id', 'passport')
  const others = fc.dictionary(names, describedValue(additionalProperties, depth + 1), { maxKeys: 2 })
  return fc.tuple(known, others).map(([one, other]) => ({ ...(one as object), ...other }))
}

interface Damage {
  readonly where: number
  readonly how: 'replace' | 'remove' | 'wrap' | 'unwrap' | 'add' | 'repeat'
  readonly what: unknown
}

const damage: Arbitrary<Damage> = fc.record({
  where: fc.nat(10_000),
  how: fc.constantFrom('replace', 'replace', 'remove', 'wrap', 'unwrap', 'add', 'repeat'),
  what: odd,
})

function damaged(value: unknown, { where, how, what }: Damage): unknown {
  const places = placesOf(value)
  const { place, value: there } = places[where % places.length] as (typeof places)[number]
  switch (how) {
    case 'remove':
      return changedAt(value, place, undefined)
    case 'wrap':
      return changedAt(value, place, [there])
    case 'unwrap':
      return changedAt(value, place, typeof there === 'object' && there !== null ? Object.values(there)[0] : what)
    case 'repeat':
      return changedAt(value, place, Array.isArray(there) ? [...there, ...there] : [there, there])
    case 'add':
      if (typeof there !== 'object' || there === null || Array.isArray(there)) return changedAt(value, place, what)
      return changedAt(value, place, { ...there, [`unknown_${where}`]: what })
    default:
      return changedAt(value, place, what)
  }
}

/** What a schema describes or an example shows, and near misses: other values, more, fewer and repeated ones. */
export function nearMissOf(schema: JsonSchema, example: unknown): Arbitrary<unknown> {
  const count = fc.oneof(
    { arbitrary: fc.constant(0), weight: 3 },
    { arbitrary: fc.integer({ min: 1, max: 3 }), weight: 4 },
  )
  const damages = count.chain((length) => fc.array(damage, { minLength: length, maxLength: length }))
  const whole = fc.oneof(
    { arbitrary: describedValue(schema), weight: 2 },
    { arbitrary: fc.constant(example), weight: 1 },
  )
  return fc.tuple(whole, damages).map(([value, list]) => list.reduce<unknown>(damaged, value))
}
