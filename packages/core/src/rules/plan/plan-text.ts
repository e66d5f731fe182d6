import { erasureText } from '../erase/erasure-text.js'
import type { Plan, PlannedCollection, Slot } from './plan.js'
import { confirmationWords, linkNotes, ownerWords, undecidedWords, unsearchedWords, whenWords } from './plan-wording.js'

/** The plan for a person to read in a terminal: order, ways in, columns read and not read, and what is not searched. */
export function planText(plan: Plan): string {
  const lines: string[] = []
  const component = new Map(plan.components.flatMap((each, at) => each.members.map((member) => [member, at] as const)))
  for (const [at, collection] of plan.collections.entries()) {
    const own = plan.components[component.get(collection.address) as number]
    const circle = own?.cyclic
      ? `, together with itself${own.members.length > 1 ? ` and ${own.members.filter((each) => each !== collection.address).join(', ')}` : ''} until nothing new is found`
      : ''
    lines.push(`${at + 1}. ${collection.address} (connection ${collection.connectionKey}${circle})`)
    for (const [index, slot] of collection.slots.entries())
      if (!slot.compared) lines.push(`   by ${entryText(plan, collection, slot, index)}`)
    const owner = ownerWords(collection.judging)
    if (owner !== undefined) lines.push(`   ${owner}`)
    const undecided = undecidedWords(collection.judging)
    if (undecided !== undefined)
      lines.push(
        `   ${undecided}: that leads to a collection that is not searched; let it be searched, or say the direction 'none'`,
      )
    if (collection.others) lines.push('   delivers rows of other people as well')
    lines.push(`   reads ${collection.read.map(({ field, reasons }) => `${field} (${reasons.join(', ')})`).join(', ')}`)
    if (collection.notRead.length > 0) lines.push(`   does not read ${collection.notRead.join(', ')}`)
  }
  if (plan.collections.length === 0) lines.push('Nothing is searched.')
  lines.push(...erasureText(plan))
  if (plan.open.length > 0) {
    lines.push('', 'Open: rows are counted and left alone until somebody says whose they are:')
    for (const { name, address, why, answers } of plan.open)
      lines.push(`- ${address} by ${name}: ${why}. Say ${answers}.`)
  }
  const unjudged = plan.identities.flatMap(({ unconfirmable }) => unconfirmable)
  if (unjudged.length > 0)
    lines.push('', `Not confirmable, so that they find nothing: ${[...new Set(unjudged)].join(', ')}`)
  if (plan.unsearched.length > 0) {
    lines.push('', 'Not searched:')
    for (const each of plan.unsearched) lines.push(`- ${each.address}: ${unsearchedWords(each)}`)
  }
  const shown = plan.findings.filter((finding) => finding.severity !== 'info')
  if (shown.length > 0) {
    lines.push('', 'Findings:')
    for (const finding of shown) lines.push(`- ${finding.severity}: ${finding.message}`)
  }
  return lines.join('\n')
}

const spelled = ({ spellings }: Slot) =>
  spellings === 'given'
    ? ', as given and in small letters only'
    : spellings === 'any case'
      ? ', without blanks around it only'
      : ''

function entryText(plan: Plan, collection: PlannedCollection, slot: Slot, index: number): string {
  const fields = slot.fields.map((field) => field.name).join(' and ')
  const identities = collection.identities
    .filter((feed) => feed.slot === index)
    .map((feed) => `identity ${feed.property}${confirmationWords(feed)}${spelled(slot)}`)
  const references = plan.collections.flatMap((from) =>
    from.links
      .filter((link) => link.to === collection.address && link.slot === index)
      .map((link) => {
        const notes = linkNotes(link, collection.judging).join(', ')
        return `${from.address}.${link.fields.map((field) => field.name).join(' and ')}${notes && ` (${notes})`}`
      }),
  )
  const when = whenWords(slot.when)
  return `${fields} ← ${[...new Set([...identities, ...references])].join(', ')}${when && ` ${when}`}`
}
