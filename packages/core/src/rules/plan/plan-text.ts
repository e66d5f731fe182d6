import { erasureText } from '../erase/erasure-text.js'
import type { Entry, Plan, PlannedCollection } from './plan.js'
import {
  confirmationText,
  elementsText,
  linkNotes,
  ownerText,
  undecidedText,
  unsearchedText,
  whenText,
} from './plan-wording.js'

/**
 * The plan as text for a terminal: the order, entries, columns that are read and not read, and collections that are not
 * searched.
 */
export function planText(plan: Plan): string {
  const lines: string[] = []
  const component = new Map(plan.components.flatMap((each, at) => each.members.map((member) => [member, at] as const)))
  for (const [at, collection] of plan.collections.entries()) {
    const own = plan.components[component.get(collection.address) as number]
    const circle = own?.cyclic
      ? `, together with itself${own.members.length > 1 ? ` and ${own.members.filter((each) => each !== collection.address).join(', ')}` : ''} until nothing new is found`
      : ''
    lines.push(`${at + 1}. ${collection.address} (connection ${collection.connectionKey}${circle})`)
    for (const [index, entry] of collection.entries.entries())
      if (!entry.compared) lines.push(`   by ${entryText(plan, collection, entry, index)}`)
    const owner = ownerText(collection.judging)
    if (owner !== undefined) lines.push(`   ${owner}`)
    const elements = elementsText(collection.judging)
    if (elements !== undefined) lines.push(`   ${elements}`)
    const undecided = undecidedText(collection.judging)
    if (undecided !== undefined)
      lines.push(
        `   ${undecided}: that refers to a collection that is not searched; let it be searched, or say the direction 'none'`,
      )
    if (collection.others) lines.push('   also delivers rows of other people')
    lines.push(`   reads ${collection.read.map(({ field, reasons }) => `${field} (${reasons.join(', ')})`).join(', ')}`)
    if (collection.notRead.length > 0) lines.push(`   does not read ${collection.notRead.join(', ')}`)
  }
  if (plan.collections.length === 0) lines.push('Nothing is searched.')
  lines.push(...erasureText(plan))
  if (plan.open.length > 0) {
    lines.push('', 'Open: these rows are counted and left alone until somebody decides who owns them:')
    for (const { name, address, why, answers } of plan.open)
      lines.push(`- ${address} by ${name}: ${why}. Say ${answers}.`)
  }
  const doubts = plan.collections.flatMap((collection) => collection.doubts ?? [])
  if (doubts.length > 0) {
    lines.push(
      '',
      'Undecided in part: what stands beside these members is left alone until somebody decides whose it is:',
    )
    for (const { name, why, answers } of doubts) lines.push(`- ${name}: ${why}. Say ${answers}.`)
  }
  const unjudged = plan.identities.flatMap(({ unconfirmable }) => unconfirmable)
  if (unjudged.length > 0)
    lines.push('', `Without confirmation, so that they find nothing: ${[...new Set(unjudged)].join(', ')}`)
  if (plan.unsearched.length > 0) {
    lines.push('', 'Not searched:')
    for (const each of plan.unsearched) lines.push(`- ${each.address}: ${unsearchedText(each)}`)
  }
  const shown = plan.findings.filter((finding) => finding.severity !== 'info')
  if (shown.length > 0) {
    lines.push('', 'Findings:')
    for (const finding of shown) lines.push(`- ${finding.severity}: ${finding.message}`)
  }
  return lines.join('\n')
}

const spelled = ({ spellings }: Entry) =>
  spellings === 'given'
    ? ', only as given and in lower case'
    : spellings === 'any case'
      ? ', only without blanks around it'
      : ''

function entryText(plan: Plan, collection: PlannedCollection, entry: Entry, index: number): string {
  const fields = entry.fields.map((field) => field.name).join(' and ')
  const identities = collection.identities
    .filter((seed) => seed.entry === index)
    .map((seed) => `identity ${seed.property}${confirmationText(seed)}${spelled(entry)}`)
  const references = plan.collections.flatMap((from) =>
    from.links
      .filter((link) => link.to === collection.address && link.entry === index)
      .map((link) => {
        const notes = linkNotes(link, collection.judging).join(', ')
        return `${from.address}.${link.fields.map((field) => field.name).join(' and ')}${notes && ` (${notes})`}`
      }),
  )
  const when = whenText(entry.when)
  return `${fields} ← ${[...new Set([...identities, ...references])].join(', ')}${when && ` ${when}`}`
}
