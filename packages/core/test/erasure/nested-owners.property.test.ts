import type { Value } from '@habeas/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { collection, field } from '../engine/described.js'
import { key, tableWith } from './described-erasure.js'
import { ann, list, request, text, toUsers } from './element-world.js'

/*
 * Documents of random shapes: scopes in lists in lists, each with none, one or two fields that name somebody, and a text. An
 * account of its own says whose a text is: it goes by the innermost scope around it that has such fields. Where that names
 * nobody, the text is nobody's, unless it is the row; where no scope has such fields, and for a row that names nobody, it is that of everybody
 * below.
 */

interface Shape {
  readonly names: number
  readonly keys: boolean
  readonly lists: readonly Shape[]
}
interface Scope {
  readonly named: readonly (readonly number[])[]
  readonly lists: readonly (readonly Scope[])[]
}
interface Text {
  readonly text: string
  /** From the row to the scope of the text: whom it names, or undefined where no field of it could. */
  readonly around: readonly (readonly number[] | undefined)[]
}

const person = fc.integer({ min: 1, max: 3 })
const shapeOf = (depth: number): fc.Arbitrary<Shape> =>
  fc.record({
    names: fc.integer({ min: 0, max: 2 }),
    keys: fc.boolean(),
    lists: depth === 0 ? fc.constant([]) : fc.array(shapeOf(depth - 1), { maxLength: depth === 3 ? 2 : 1 }),
  })
const scopeOf = ({ names, keys, lists }: Shape): fc.Arbitrary<Scope> =>
  fc.record({
    named: fc.tuple(...Array.from({ length: names }, () => fc.array(person, { maxLength: keys ? 2 : 1 }))),
    lists: fc.tuple(...lists.map((inner) => fc.array(scopeOf(inner), { maxLength: 3 }))),
  })
const world = shapeOf(3).chain((shape) =>
  fc.record({ shape: fc.constant(shape), rows: fc.array(scopeOf(shape), { minLength: 1, maxLength: 3 }) }),
)

const described = ({ names, keys, lists }: Shape): object[] => [
  ...Array.from({ length: names }, (_, at) =>
    field(`by${at}`, { ...toUsers, ...(keys && { data_type: 'integer[]' }) }, []),
  ),
  text('text'),
  ...lists.map((inner, at) => list(`list${at}`, described(inner))),
]

/** A document of a scope, and its texts. */
function stored(scope: Scope, { keys }: Shape, shapes: Shape, around: Text['around'], name: string) {
  const named = scope.named.flat()
  const here = [...around, scope.named.length > 0 ? named : undefined]
  const texts: Text[] = [{ text: name, around: here }]
  const held: Record<string, unknown> = { text: name }
  for (const [at, each] of scope.named.entries()) held[`by${at}`] = keys ? each : (each[0] ?? null)
  for (const [at, list] of scope.lists.entries()) {
    const inner = shapes.lists[at] as Shape
    held[`list${at}`] = list.map((element, position) => {
      const found = stored(element, inner, inner, here, `${name} ${at}.${position}`)
      texts.push(...found.texts)
      return found.held
    })
  }
  return { held, texts }
}

/** The people whose a text is. */
function ownersOf({ around }: Text, row: readonly Text[]): ReadonlySet<number> {
  const everybody = () => new Set(row.flatMap((each) => each.around.flatMap((named) => named ?? [])))
  const at = around.findLastIndex((named) => named !== undefined)
  if (at === -1) return everybody()
  const named = around[at] as readonly number[]
  return named.length === 0 && at === 0 ? everybody() : new Set(named)
}

it('a text of a document goes to those whose it is, and is erased where it is nobody else’s', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ shape, rows }) => {
      const documents = rows.map((row, at) => stored(row, shape, shape, [], `row ${at}`))
      const columns = [
        ...Array.from({ length: shape.names }, (_, at) => `by${at}`),
        'text',
        ...shape.lists.map((_, at) => `list${at}`),
      ]
      const kinds = columns.map((name) => [name, name === 'text' ? 'string' : /^by/.test(name) ? 'integer' : 'object'])
      const {
        end,
        got,
        rows: left,
        told,
      } = await request(ann, {
        collections: [collection('documents', [key, ...described(shape)])],
        database: {
          documents: tableWith(
            { id: 'integer', ...Object.fromEntries(kinds) },
            documents.map(({ held }, at) => [at + 1, ...columns.map((name) => held[name] as Value)]),
          ),
        },
      })
      // nothing finds a document whose shape names nobody
      if (end.status === 'paused') return
      expect(end.failure ?? end.status).toBe('complete')
      const [handed, kept] = [JSON.stringify(got), JSON.stringify(left['documents'])]
      for (const { texts } of documents) {
        for (const each of texts) {
          const owners = ownersOf(each, texts)
          const [isGot, isGone] = [handed.includes(`"${each.text}"`), !kept.includes(`"${each.text}"`)]
          const what = [each.text, [...owners], told['shop:documents']]
          if (!owners.has(1)) expect([...what, isGot, isGone]).toEqual([...what, false, false])
          else if (owners.size > 1) expect([...what, isGone]).toEqual([...what, false])
          // what the subject alone is named for, and not only by what lies below
          const named = each.around[each.around.findLastIndex((one) => one !== undefined)] ?? []
          const isMustered = named.length > 0 && named.every((one) => one === 1)
          if (isMustered && !end.incomplete) expect([...what, isGot]).toEqual([...what, true])
          if (isMustered && !/retained|stays?\b|because/.test(told['shop:documents'] ?? ''))
            expect([...what, isGone]).toEqual([...what, true])
        }
      }
    }),
    {
      numRuns: Number(process.env['HABEAS_RUNS'] ?? 150),
      ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
    },
  )
})
