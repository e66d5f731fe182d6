import type { Column } from '../../model/catalogue.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { liveAt } from '../plan/known-members.js'
import type { Finding } from './finding.js'

/**
 * Fields with a dot in their name that are members of an object: the live collection has no column of that name. Nothing
 * is found in them, so what an erasure says of them would not be true.
 */
export function dottedFields(node: CollectionNode): {
  readonly findings: Finding[]
  readonly names: ReadonlySet<string>
} {
  const { address, dataset, collection, live } = node
  const names = new Set<string>()
  const findings = [...node.fields.values()].flatMap((field): Finding[] => {
    const holder = memberHolder(node, field)
    if (holder === undefined) return []
    names.add(field.name)
    const dotted = field.path.at(-1) as string
    const member = dotted.slice(holder.name.length + 1)
    const around = [...field.path.slice(0, -1), holder.name].join('.')
    const rare = live?.schemaless
      ? ` Say 'reviewed: true' on it where other documents have a name with this dot in it.`
      : ''
    const message = `'${address}' describes the field '${dotted}', which it does not have: '${around}' is an object. Describe '${member}' under \`fields\` of '${around}', otherwise nothing of it is delivered or erased.${rare}`
    const loc = [dataset.service_key, collection.name, field.name]
    return [{ type: 'dotted_field', severity: 'warning', loc, message }]
  })
  return { findings, names }
}

/** The live object that a dotted name leads into. Undefined where a column or member has this very name. */
function memberHolder(node: CollectionNode, { path, field }: FieldNode): Column | undefined {
  const dotted = path.at(-1) as string
  if (!node.live || !dotted.includes('.') || (node.live.schemaless && field.service_meta.reviewed)) return undefined
  const around = path.length === 1 ? node.live.columns : liveAt(node, path.slice(0, -1))?.members
  if (!around || around.some(({ name }) => name === dotted)) return undefined
  return around.find(
    ({ name, kind, members = [] }) => dotted.startsWith(`${name}.`) && (kind === 'object' || members.length > 0),
  )
}
