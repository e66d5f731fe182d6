import fc from 'fast-check'

/*
 * What a random world is drawn from. A `draw` is 0 to 99: what is unusual happens at the high end, so that a failing world
 * shrinks towards the plain one. Places in other lists are numbers of any size, taken modulo what there is.
 */

const draw = fc.nat(99)
const place = fc.nat(99)

/** True in `percent` of the draws, the high ones. */
export const isRare = (drawn: number, percent: number): boolean => drawn >= 100 - percent

const weighted = <Value>(...choices: readonly (readonly [weight: number, value: Value])[]) =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

const referenceArbitrary = fc.record({
  to: place,
  name: draw,
  /** The direction is left out. */
  silent: draw,
  /** The description does not have it at all. */
  unsaid: draw,
  required: fc.boolean(),
  onDelete: weighted(
    [3, undefined],
    [3, 'no action' as const],
    [1, 'restrict' as const],
    [2, 'cascade' as const],
    [1, 'set null' as const],
  ),
  /** Values are spelled otherwise than in the key: 5.00 for 5. */
  cast: draw,
})
export type ReferenceShape = typeof referenceArbitrary extends fc.Arbitrary<infer Each> ? Each : never

/** Further references of a table, by their hidden role. */
const extraArbitrary = fc.record({
  role: weighted(
    [4, 'handler' as const],
    [3, 'parent' as const],
    [3, 'theirs' as const],
    [2, 'catalogue' as const],
    [1, 'self' as const],
  ),
  reference: referenceArbitrary,
})

const rowArbitrary = fc.record({
  person: place,
  picks: fc.array(place, { minLength: 6, maxLength: 6 }),
  mail: draw,
  blank: draw,
})
export type RowShape = typeof rowArbitrary extends fc.Arbitrary<infer Each> ? Each : never

/** How the truth says whose rows of a table are. */
export const tableKinds = [
  /** People themselves, again: employees beside customers. */
  'people',
  /** What a person is called elsewhere: a row names the person it points to. */
  'names',
  /** A reference says whose. */
  'one',
  /** Two references do, and both are right. */
  'two',
  /** Whoever points to it. */
  'pointed',
  /** Nobody's: a catalogue, a team, settings. */
  'nobody',
  /** An e-mail says whose. */
  'mail',
  /** Nothing in the data says whose. */
  'unsaid',
] as const
export type TableKind = (typeof tableKinds)[number]

const tableArbitrary = fc.record({
  rows: fc.array(rowArbitrary, { minLength: 1, maxLength: 7 }),
  extras: fc.array(extraArbitrary, { maxLength: 3 }),
  kind: weighted<TableKind>(
    [8, 'one'],
    [3, 'two'],
    [4, 'pointed'],
    [2, 'people'],
    [2, 'names'],
    [2, 'nobody'],
    [1, 'mail'],
    [1, 'unsaid'],
  ),
  name: place,
  main: referenceArbitrary,
  second: referenceArbitrary,
  key: draw,
  /** In the second dataset. */
  elsewhere: draw,
  /** Not described, or skipped. */
  described: draw,
  /** Without categories. */
  untargeted: draw,
  owner: draw,
  /** Rows of kind `one` hold an e-mail as well. */
  mails: draw,
  special: draw,
  meta: draw,
  deletes: fc.boolean(),
})
export type TableShape = typeof tableArbitrary extends fc.Arbitrary<infer Each> ? Each : never

const changeArbitrary = fc.record({
  kind: weighted(
    [3, 'reassign' as const],
    [3, 'point' as const],
    [3, 'move' as const],
    [2, 'insert' as const],
    [1, 'rename' as const],
  ),
  /** Before which call of the run it comes. */
  moment: weighted([2, 'read' as const], [1, 'count' as const], [2, 'trial' as const], [4, 'erase' as const]),
  at: fc.nat(3),
  picks: fc.array(place, { minLength: 4, maxLength: 4 }),
})
export type ChangeShape = typeof changeArbitrary extends fc.Arbitrary<infer Each> ? Each : never

/** What makes a world smallest stands first: members are shrunk in this order. */
export const worldArbitrary = fc.record({
  memory: draw,
  /** What others do while the request runs. */
  change: fc.option(changeArbitrary, { freq: 2, nil: undefined }),
  tables: fc.array(tableArbitrary, { minLength: 2, maxLength: 8 }),
  peopleExtras: fc.array(extraArbitrary, { maxLength: 2 }),
  /** Further rows of people who are there already. */
  doubles: fc.array(rowArbitrary, { maxLength: 2 }),
  /** Besides the subject. */
  others: fc.integer({ min: 1, max: 4 }),
  /** Whatever stops an erasure is accepted beforehand. */
  accepts: fc.boolean(),
  /** `ownership: 'declared'`. */
  declared: fc.boolean(),
  /** Every direction is given. */
  complete: draw,
  /** The second dataset: its connection is there, read-only, disabled or missing. */
  second: draw,
  /** Foreign keys also of what only deals with a row or hangs on it: these stand in the way of deletions. */
  links: draw,
  request: draw,
  spelling: draw,
  /** The policy of an erasure hands out as well, and deletes wherever it can. */
  delivers: draw,
  deletes: draw,
  name: place,
  key: draw,
  /** What people tables hold of a person, and what of it is an identity. */
  identities: draw,
  /** E-mails that were somebody else's before, phones that two share, codes that say nothing. */
  recycled: draw,
  phones: draw,
  codes: draw,
  people: fc.array(rowArbitrary, { minLength: 5, maxLength: 5 }),
})
export type WorldShape = typeof worldArbitrary extends fc.Arbitrary<infer Each> ? Each : never
