import { type OperationNode, RawNode, sql, ValueNode } from 'kysely'
import type { Expression } from './erasing/sql-shapes.js'

/** Stands for the value, and equals no other parameter. */
const given = Object.freeze({})

/**
 * The values in one form, with commas: `cast(? as signed), cast(? as signed)`. The form is made once. Made for each of some
 * thousand keys, it would cost more than the search of the server.
 */
export function inOneForm(values: readonly string[], form: (value: Expression) => Expression): Expression {
  const pieces = values.length > 1 ? piecesOf(form(sql`${given}`).toOperationNode()) : undefined
  if (!pieces) return sql.join(values.map((value) => form(sql`${value}`)))
  const [first = '', ...rest] = pieces
  const between = `${rest.at(-1) ?? ''}, ${first}`
  const fragments = [first]
  const parameters: string[] = []
  for (const [at, value] of values.entries()) {
    for (const piece of rest.slice(0, -1)) {
      parameters.push(value)
      fragments.push(piece)
    }
    parameters.push(value)
    fragments.push(at === values.length - 1 ? (rest.at(-1) ?? '') : between)
  }
  return sql(Object.assign(fragments, { raw: fragments }), ...parameters)
}

/** The text around each place of the value. Undefined where the form holds more than texts and the value. */
function piecesOf(node: OperationNode): string[] | undefined {
  if (ValueNode.is(node)) return node.value === given ? ['', ''] : undefined
  if (!RawNode.is(node)) return undefined
  let pieces = ['']
  for (const [at, fragment] of node.sqlFragments.entries()) {
    pieces.push(`${pieces.pop()}${fragment}`)
    const parameter = node.parameters[at]
    if (parameter === undefined) continue
    const [first, ...rest] = piecesOf(parameter) ?? []
    if (first === undefined) return undefined
    pieces = [...pieces.slice(0, -1), `${pieces.at(-1)}${first}`, ...rest]
  }
  return pieces
}
