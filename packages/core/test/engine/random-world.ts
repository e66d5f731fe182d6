import type { Identity, Value } from '@habeas/core'
import fc from 'fast-check'

/* Small worlds in which everything meets everything: few values, so that rows find one another. */

const often = (common: readonly Value[], odd: readonly Value[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...common) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })
const text = often(['a', 'b', '1', '2'], ['A', '02', '', ' ', null])
const integer = often([1, 2, 3], [0, 4, null])
const anything = often([1, 2, 'a', '1'], [0, true, false, '', null])

export interface FieldShape {
  readonly name: string
  readonly type?: string
  readonly fields?: readonly FieldShape[]
}

const tableFields: readonly FieldShape[] = [
  ...['id', 'a', 'b'].map((name) => ({ name, type: 'integer' })),
  ...['k', 's', 't', 'side'].map((name) => ({ name, type: 'string' })),
]
const documentFields: readonly FieldShape[] = [
  { name: 'id', type: 'integer' },
  { name: 'k', type: 'string' },
  { name: 'a' },
  { name: 's', type: 'string' },
  { name: 'side', type: 'string' },
  { name: 'list', type: 'integer[]' },
  {
    name: 'items',
    type: 'object[]',
    fields: [
      { name: 'ref', type: 'integer' },
      { name: 'n', type: 'string' },
      { name: 'inner', type: 'integer[]' },
    ],
  },
  { name: 'nest', type: 'object', fields: [{ name: 'x', type: 'integer' }, { name: 'y' }] },
]
const paths = {
  table: ['id', 'a', 'b', 'k', 's', 't'],
  documents: ['id', 'k', 'a', 's', 'list', 'items.ref', 'items.n', 'items.inner', 'nest.x', 'nest.y'],
} as const

const side = fc.constantFrom('x', 'y', null)
const tableRow = fc.record({ id: integer, a: integer, b: integer, k: text, s: text, t: text, side })
const documentRow = fc.record(
  {
    id: integer,
    k: text,
    a: anything,
    s: text,
    side,
    list: fc.array(integer, { maxLength: 3 }),
    items: fc.array(
      fc.record({ ref: integer, n: text, inner: fc.array(integer, { maxLength: 2 }) }, { requiredKeys: [] }),
      { maxLength: 3 },
    ),
    nest: fc.record({ x: integer, y: anything }, { requiredKeys: [] }),
  },
  { requiredKeys: ['id'] },
)

const collection = fc.record({
  documents: fc.boolean(),
  dataset: fc.nat(2),
  keys: fc.constantFrom<string[][][]>([['id']], [['id']], [['k']], [['id'], ['k']], [['id', 'k']], []),
  tableRows: fc.array(tableRow, { minLength: 2, maxLength: 8, size: 'max' }),
  documentRows: fc.array(documentRow, { minLength: 2, maxLength: 6, size: 'max' }),
  email: fc.constantFrom('none', 'none', 's', 'k', 'both'),
  phone: fc.constantFrom('none', 'none', 'a', 't'),
  skip: fc.boolean(),
  others: fc.nat(9),
  untargeted: fc.nat(7),
  caseInsensitive: fc.boolean(),
  placeholders: fc.constantFrom<(string | number)[][]>([], [], [0], ['a', 1]),
  allElements: fc.nat(5),
})

/** The first path of a collection is its key, as a rule: half of all references lead to or from there. */
const path = fc.oneof(fc.constant(0), fc.nat(11))
const end = fc.record({ at: fc.nat(9), first: path, second: path })
const reference = fc.record({
  from: end,
  to: end,
  direction: fc.constantFrom('from', 'from', 'to', 'both', 'none', undefined, undefined),
  composite: fc.nat(3),
  when: fc.constantFrom(undefined, undefined, undefined, 'x'),
  mirrored: fc.nat(5),
})

const value = fc.constantFrom<Identity[string][]>('a', 'a', 'a', 'b', '1', 'A', 1, 0)
const identity = fc.record({ email: value, phone: value, uid: value }, { requiredKeys: ['email'] })
const email = fc.record({ email: value })
const phone = fc.record({ phone: value })

/** Everything is here and shrinks on its own; `worldOf` makes one world of it. */
export const shapeArbitrary = fc.record({
  collections: fc.array(collection, { minLength: 1, maxLength: 6, size: 'max' }),
  /** Collection n + 1 is referred to, so that it is reached. */
  spanning: fc.array(reference, { minLength: 5, maxLength: 5 }),
  references: fc.array(reference, { maxLength: 5, size: 'max' }),
  identities: fc.array(
    fc.oneof({ weight: 6, arbitrary: email }, { weight: 3, arbitrary: identity }, { weight: 1, arbitrary: phone }),
    { minLength: 1, maxLength: 2 },
  ),
  batchSize: fc.integer({ min: 1, max: 3 }),
  maxKeys: fc.constantFrom(1000, 2, 3, 7),
  maxKeysWithoutIndex: fc.constantFrom(undefined, 2),
  loose: fc.boolean(),
})

export type Shape = typeof shapeArbitrary extends fc.Arbitrary<infer Each> ? Each : never
export type CollectionShape = Shape['collections'][number]
export type ReferenceShape = Shape['references'][number]

export const shapesOf = (documents: boolean) => (documents ? documentFields : tableFields)
export const pathsOf = (documents: boolean): readonly string[] => (documents ? paths.documents : paths.table)
