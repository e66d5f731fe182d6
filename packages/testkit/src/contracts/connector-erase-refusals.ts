import assert from 'node:assert/strict'
import type { Erase, Row, Value } from '@habeas/core'
import type { Test } from '../test.js'
import { anyOf, tableOf } from './connector-under-test.js'
import {
  byEmail,
  type EraseContractOptions,
  eraseCases,
  erased,
  erasing,
  type OpenErase,
  people,
  refusal,
  rollBacks,
  seen,
} from './erase-under-test.js'
import { rejection } from './rejection.js'

const secret = 'value-of-somebody'
const all = [anyOf('id', 1, 2, 3, 4, 5, 6)]

/** A batch that breaks a rule in one of its rows, and the expected name of the rule. */
interface Broken {
  readonly rule: NonNullable<EraseContractOptions['unenforced']>[number]
  readonly batch: Erase
  readonly names: { readonly constraint?: string | true; readonly column?: string }
}

const breaking: Readonly<Record<string, Broken>> = {
  'a column that may not be null': {
    rule: 'not_null',
    batch: erasing({ anyOf: all, set: [{ column: 'email', toEach: [secret, 'b', null] }] }),
    names: { column: 'email' },
  },
  'a check': {
    rule: 'check',
    batch: erasing({
      anyOf: all,
      set: [
        { column: 'age', toEach: [20, 20, 17] },
        { column: 'name', to: secret },
      ],
    }),
    names: { constraint: 'people_of_age' },
  },
  'a unique key': {
    rule: 'unique',
    batch: erasing({ anyOf: all, set: [{ column: 'handle', to: secret }] }),
    names: { constraint: true },
  },
  'a primary key': {
    rule: 'unique',
    batch: erasing({
      keys: [[4, 5]],
      anyOf: all,
      set: [
        { column: 'id', toEach: [8, 3] },
        { column: 'name', to: secret },
      ],
    }),
    names: { constraint: true },
  },
  'a foreign key that the batch points elsewhere': {
    rule: 'foreign_key',
    batch: erasing({
      collection: 'orders',
      keys: [[1]],
      anyOf: [anyOf('person_id', 1)],
      set: [
        { column: 'person_id', to: 77 },
        { column: 'address', to: secret },
      ],
    }),
    names: { constraint: 'orders_person' },
  },
  'a foreign key that refers to a deleted row': {
    rule: 'foreign_key',
    batch: erasing({ keys: [[1, 3]], anyOf: [byEmail(1, 3)], set: 'delete' }),
    names: { constraint: 'orders_person' },
  },
  'a length': {
    rule: 'length',
    batch: erasing({ anyOf: all, set: [{ column: 'name', toEach: ['a', 'b', secret.repeat(2)] }] }),
    names: {},
  },
}

/** Refusals, and roll-backs. */
export const connectorEraseRefusalsContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)
  const { unenforced = [], namesRules = true, writesInParts = false } = options

  for (const [what, { rule, batch, names }] of Object.entries(breaking)) {
    const enforced = !unenforced.includes(rule)
    given(`${what} refuses a batch whole, and no value is repeated`, async ({ connector, connection, other }) => {
      const columns = ['name', 'email', 'handle', 'age']
      const after = async () => [
        await people(other, ...columns),
        await seen(other, 'people', ['id', ...columns], 'id', 1, 2, 3, 4, 5, 6),
        await seen(other, 'orders', ['id', 'person_id', 'address'], 'id', 1),
      ]
      const rowOf = ([, persons, orders]: readonly (readonly Row[])[], id: Value) =>
        JSON.stringify((batch.collection === 'orders' ? orders : persons)!.find(([held]) => held === id))
      const before = await after()
      if (!enforced) {
        await erased(connection, batch)
        assert.notDeepEqual(await after(), before)
        return
      }
      for (const rollBack of rollBacks(connector)) {
        const { details } = await refusal(erased(connection, batch, { rollBack }), secret)
        if (namesRules && names.column !== undefined) assert.equal(details.column, names.column)
        if (namesRules && typeof names.constraint === 'string') assert.equal(details.constraint, names.constraint)
        if (namesRules && names.constraint === true)
          assert.ok((details.constraint ?? '').length > 0, 'the rule is named')
      }
      const isWhole = connector.capabilities.transactions !== false
      const left = await after()
      if (isWhole) assert.deepEqual(left, before)
      else if (!writesInParts) assert.ok(!JSON.stringify(left).includes(secret), 'the refused value is nowhere')
      else
        assert.ok(
          batch.keys[0]!.some((id) => rowOf(left, id) === rowOf(before, id)),
          'the refused row is as it was',
        )
      await connection.ping()
    })
  }

  given('text in a column that takes none is refused, and not repeated', async ({ connection, other }) => {
    for (const [column, to] of [
      ['whole', secret],
      ['flag', secret],
      ['day', secret],
      // without a type of their own only a check keeps other texts out of UUIDs
      ...(unenforced.includes('check') ? [] : ([['identifier', secret]] as const)),
      ['exact', secret],
    ] as const) {
      const kind = tableOf('all_kinds').columns.find(({ name }) => name === column)!.kind
      if (options.keptAsText?.includes(kind)) continue
      const batch = erasing({ collection: 'all_kinds', keys: [[1, 2]], anyOf: [anyOf('id', 1, 2)] })
      for (const assignment of [
        { column, to },
        { column, toEach: [to, to] },
      ]) {
        const failure = await refusal(erased(connection, { ...batch, set: [assignment] }), secret)
        assert.ok(failure.details.column === undefined || failure.details.column === column)
      }
    }
    const [row] = await seen(other, 'all_kinds', ['id', 'whole'], 'id', 1)
    assert.deepEqual(row, [1, 2_147_483_647])
  })

  given('with rollBack everything is tried and nothing is written', async ({ connector, connection, other }) => {
    const before = await people(other, 'name', 'note')
    if (connector.capabilities.transactions === false) {
      const { details } = await rejection(
        erased(connection, erasing({ set: 'delete' }), { rollBack: true }),
        'unsupported',
      )
      assert.equal(details.feature, 'transactions')
      assert.deepEqual(await people(other, 'name', 'note'), before)
      return
    }
    await erased(connection, erasing({ set: [{ column: 'name', to: 'masked' }] }), { rollBack: true })
    await erased(connection, erasing({ set: [{ column: 'note', toEach: ['a', 'b', 'c'] }] }), { rollBack: true })
    await erased(connection, erasing({ keys: [[5, 6]], anyOf: all, set: 'delete' }), { rollBack: true })
    assert.deepEqual(await people(other, 'name', 'note'), before)
    await erased(connection, erasing())
    assert.equal((await people(other, 'name'))[0]?.[1], null)
  })

  const ambiguous = async (promise: Promise<unknown>) => {
    const { details } = await rejection(promise, 'unsupported')
    assert.equal(details.reason, 'ambiguous_rows')
  }

  given(
    'a key that names more rows than it should touches nothing, whatever groups they meet',
    async ({ connector, connection, other }) => {
      const pins = async () => (await seen(other, 'cards', ['pin'], 'person_id', 1, 2)).flat()
      const batch = erasing({
        collection: 'cards',
        key: ['code'],
        anyOf: [anyOf('person_id', 1)],
        set: [{ column: 'pin', to: null }],
      })
      for (const keys of [[['K-1', 'K-2']], [['K-1', 'K-3']]]) {
        await ambiguous(erased(connection, { ...batch, keys }))
        await ambiguous(erased(connection, { ...batch, keys, set: [{ column: 'pin', toEach: ['x', 'y'] }] }))
        for (const rollBack of rollBacks(connector))
          await ambiguous(erased(connection, { ...batch, keys, set: 'delete' }, { rollBack }))
      }
      assert.deepEqual(await pins(), ['1111', '2222', '3333', '4444', '5555'])
      await erased(connection, { ...batch, keys: [['K-1', 'K-9']] })
      assert.deepEqual((await pins()).length, 5)
      assert.ok(!(await pins()).includes('1111'))
    },
  )

  const visit = (page: Value, at: Value, spent: Value) => [1, page, at, spent] as const
  const twice = visit('home', '2024-01-01T00:00:00.000001Z', '0.1234567891')
  const emptied = visit(null, null, null)
  const unkeyed = (rows: number, ...keys: readonly (readonly Value[])[]): Erase =>
    erasing({
      collection: 'visits',
      key: ['person_id', 'page', 'at', 'spent'],
      keys: [0, 1, 2, 3].map((part) => keys.map((key) => key[part]!)),
      rows,
      anyOf: [anyOf('person_id', 1)],
      set: [{ column: 'comment', to: '-' }],
    })

  given(
    'rows without a key are told apart by what they hold, null and the last digit included',
    async ({ connection, other }) => {
      const comments = async () => (await seen(other, 'visits', ['comment'], 'person_id', 1, 2)).flat().sort()
      const [at, spent] = [tableValue(options, twice[2]), twice[3]]
      const key = visit('home', at, spent)
      if (at === twice[2]) {
        await erased(connection, unkeyed(2, key))
        assert.deepEqual(await comments(), ['-', '-', 'c', 'd', 'e', 'f', 'g'])
      } else await ambiguous(erased(connection, unkeyed(2, key)))
      await erased(connection, unkeyed(1, emptied))
      assert.deepEqual(
        (await comments()).filter((comment) => 'efg'.includes(String(comment))),
        ['f', 'g'],
      )
      await erased(connection, { ...unkeyed(1, visit('', null, null)), set: 'delete' })
      assert.equal((await comments()).length, 6)
    },
  )

  given('where rows have no key, nothing is touched if their number differs', async ({ connection, other }) => {
    const before = await seen(other, 'visits', ['comment'], 'person_id', 1, 2)
    for (const rows of [0, 2]) await ambiguous(erased(connection, unkeyed(rows, emptied)))
    await ambiguous(erased(connection, unkeyed(1, visit('nowhere', null, null))))
    await ambiguous(erased(connection, { ...unkeyed(2, emptied), set: 'delete' }))
    await ambiguous(erased(connection, { ...unkeyed(2, emptied), anyOf: [anyOf('person_id', 5)] }))
    assert.deepEqual(await seen(other, 'visits', ['comment'], 'person_id', 1, 2), before)
  })
}

/** A server that keeps fewer digits cannot tell the visits of one instant apart. */
const tableValue = ({ secondDigits = 6 }: EraseContractOptions, at: Value): Value =>
  secondDigits >= 6 ? at : String(at).replace(/\.(\d+)/, (_, digits: string) => `.${digits.slice(0, secondDigits)}`)
