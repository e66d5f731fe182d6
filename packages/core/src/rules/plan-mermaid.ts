import { counted } from './counted-rows.js'
import type { Plan } from './plan.js'
import { ownColumns } from './spelled-columns.js'

/** The plan as a Mermaid flowchart: solid arrows lead to own rows, dotted ones to what is only pointed to, or is open. */
export function planMermaid(plan: Plan): string {
  const lines = ['flowchart LR']
  const ids = new Map<string, string>()
  const node = (address: string) => {
    const known = ids.get(address)
    if (known !== undefined) return known
    const id = `c${ids.size}`
    ids.set(address, id)
    return id
  }
  const properties = new Map<string, string>()
  for (const collection of plan.collections) {
    lines.push(
      `  ${node(collection.address)}["${label(collection.address)}<br/>${counted(ownColumns(collection.columns).length, 'column')}"]`,
    )
    for (const { property } of collection.identities) {
      if (!properties.has(property)) properties.set(property, `i${properties.size}`)
    }
  }
  for (const [name, id] of properties) lines.push(`  ${id}(["${label(name)}"])`)
  for (const collection of plan.collections) {
    const edges = new Set<string>()
    for (const { slot, property } of collection.identities) {
      const field = collection.slots[slot]?.fields[0]?.name ?? property
      edges.add(`  ${properties.get(property)} -->|"${label(field)}"| ${node(collection.address)}`)
    }
    for (const link of collection.links) {
      if (link.kind === 'compared') continue
      const target = plan.collections.find((each) => each.address === link.to)?.slots[link.slot]
      const names = link.fields.map((field, part) => `${field.name} → ${target?.fields[part]?.name}`).join(', ')
      edges.add(
        `  ${node(collection.address)} ${link.kind === 'part' ? '-.->' : '-->'}|"${label(names)}"| ${node(link.to)}`,
      )
    }
    lines.push(...edges)
  }
  for (const { by, address, name, kind } of plan.open) {
    const known = ids.has(address)
    const id = node(address)
    if (!known) lines.push(`  ${id}["${label(address)}"]`)
    const field = name.slice((kind === 'reference' ? address : by).length + 1)
    lines.push(`  ${node(by)} -.-|"${label(`${field}: open`)}"| ${id}`)
  }
  for (const { address, reason, detail } of plan.unsearched) {
    if (reason === 'no target needs it') continue
    const why = detail === undefined ? reason : `${reason}: ${detail}`
    lines.push(`  ${node(address)}["${label(address)}<br/>not searched: ${label(why)}"]:::unsearched`)
  }
  if (plan.unsearched.length > 0) lines.push('  classDef unsearched stroke-dasharray: 4 3,opacity:0.6')
  return lines.join('\n')
}

/** Names come from databases: nothing in one may end the label or become markup. */
function label(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,:_→-]/gu, (character) => `#${character.codePointAt(0)};`)
}
