import type { DirectionProposal } from '../../model/proposal.js'
import {
  type DraftedLink,
  type DraftedSchema,
  type DraftedTable,
  holdsMail,
  identifiesPeople,
  mayBeOwner,
  refersToPerson,
} from './drafted-schema.js'
import {
  isContentParent,
  isInvitedColumn,
  isPartyColumn,
  isRoleColumn,
  isSamePersonColumn,
  namesPersonKey,
} from './ownership-names.js'
import { linkPlace } from './propose-references.js'

interface Answer {
  readonly direction: DirectionProposal['direction']
  readonly confidence: number
  readonly reason: string
}

/**
 * What each reference seems to say about whose rows are. `none` and `to` were hardly ever wrong where names say them; `from`
 * was, one time in five, because a name cannot tell the person from whoever works for them.
 */
export function proposeDirections(schema: DraftedSchema): DirectionProposal[] {
  const found: DirectionProposal[] = []
  for (const table of schema.tables.values()) {
    // Rows that are nobody's are asked nothing.
    if (table.shared && !table.doubtful) continue
    for (const link of table.links) {
      const answer = answerFor(link, table, schema)
      if (!answer || (link.confidence < 1 && answer.direction === 'none')) continue
      const { columns, references, confidence } = link
      found.push({
        id: `${linkPlace(table.live.name, link, table.links)}:${answer.direction}`,
        kind: 'direction',
        collection: table.live.name,
        field: columns[0]!,
        references: references[0]!,
        ...answer,
        confidence: Math.min(answer.confidence, confidence),
      })
    }
  }
  return found
}

function answerFor(link: DraftedLink, table: DraftedTable, schema: DraftedSchema): Answer | undefined {
  const target = schema.tables.get(link.target)!
  if (table.people && target === table && link.columns.some(isSamePersonColumn)) {
    const reason = 'The column is named like one for another row of the same person.'
    return { direction: 'both', confidence: 0.6, reason }
  }
  switch (link.role) {
    case 'agent':
      return agent(link, table, schema)
    case 'self':
      return none(0.85, 'A row that points to another of its own table is not whoever that one is.')
    case 'shared':
      return none(target.people || target.doubtful ? 0.6 : 0.95, `'${link.target}' is named like what belongs to many.`)
    case 'person':
      return person(link, table, target, schema)
    case 'lookup':
      return lookup(link, table, target, schema)
    case 'other':
      return schema.owned.has(link.target) ? parent(link, table, schema) : unowned(link, table, target, schema)
  }
}

/** Who is named where nobody else is, or where others may be missing, may have the row as well as have worked on it. */
function agent(link: DraftedLink, table: DraftedTable, schema: DraftedSchema): Answer {
  const reason = 'The column is named like one for whoever worked on the row.'
  if (link.columns.some((column) => isInvitedColumn(table.live.name, column)))
    return none(
      0.5,
      `${reason} But who accepts an invitation is one of its two sides: 'from', if the row is theirs as well.`,
    )
  return mayBeOwner(link, table, schema)
    ? none(0.75, `${reason} But no other must name a person, so that the row may be theirs.`)
    : none(0.95, reason)
}

function person(link: DraftedLink, table: DraftedTable, target: DraftedTable, { owned }: DraftedSchema): Answer {
  const { columns, nullable, onDelete } = link
  const people = table.links.filter(({ role }) => role === 'person')
  const reason = `The column points to '${link.target}', which seems to hold people.`
  if (columns.some(isPartyColumn)) {
    return from(
      people.length > 1 ? 0.75 : 0.7,
      `${reason} It is named like one of two sides, both of whom it concerns.`,
    )
  }
  if (identifiesPeople(link, table, target)) {
    const why = `${reason} What they are found by, such as an e-mail address, stands here.`
    return { direction: 'both', confidence: 0.7, reason: why }
  }
  if (people.length > 1 && columns.some((column) => /employee|mitarbeiter/i.test(column))) {
    return none(0.75, 'The column is named like one for an employee, and the row names another person as well.')
  }
  const doubts = [
    columns.some(isRoleColumn) && 'it may be who worked on the row',
    nullable && 'it may be null',
    onDelete === 'set null' && 'the row stays when they go',
    table.people && 'the row seems to be a person itself',
    !table.people && holdsMail(table) && 'the row has an e-mail address of its own',
    people.length > 1 && 'the row names others as well',
    table.links.some((each) => each.role === 'other' && owned.has(each.target)) &&
      'the row belongs to something else, too',
  ].filter((doubt) => doubt !== false)
  const named = columns.some(namesPersonKey)
  if (!named) return from(0.5, reason)
  return doubts.length === 0 ? from(0.85, reason) : from(0.6, `${reason} But ${doubts.join(', and ')}.`)
}

function lookup(
  { target: name }: DraftedLink,
  table: DraftedTable,
  target: DraftedTable,
  { owned, parts }: DraftedSchema,
): Answer | undefined {
  if (refersToPerson(target)) return none(0.85, `'${name}' says itself whose its rows are.`)
  if (!owned.has(table.live.name) && !parts.has(table.live.name)) return undefined
  const reason = `'${name}' is named like a part of whoever points to it.`
  return { direction: 'to', confidence: 0.95, reason }
}

/** What it points to is somebody's. */
function parent(link: DraftedLink, table: DraftedTable, { owned }: DraftedSchema): Answer {
  const { target, nullable, onDelete } = link
  if (isContentParent(target)) {
    if (onDelete === 'set null') return none(0.95, `The row outlives what it points to in '${target}'.`)
    if (refersToPerson(table)) {
      return none(0.93, `The row names a person itself; what it points to in '${target}' may be another's.`)
    }
  }
  if (table.people) return none(0.85, 'People are not whoever owns what they point to.')
  const reason = `The row is part of one of '${target}', which seems to be somebody's.`
  const persons = table.links.filter(({ role }) => role === 'person')
  if (persons.some((each) => !each.nullable)) {
    return none(0.75, `The row names a person itself, and so says whose it is without '${target}'.`)
  }
  if (persons.length > 0) return from(0.5, `${reason} But it may name a person itself.`)
  if (holdsMail(table)) return from(0.5, `${reason} But it has an e-mail address of its own.`)
  const candidates = table.links.filter((each) => each.role === 'other' && owned.has(each.target))
  return candidates.length === 1 && (!nullable || onDelete === 'cascade') ? from(0.85, reason) : from(0.6, reason)
}

/** A look-up of what is nobody's leaves a question only where something there looks personal. */
function unowned(
  { target: name }: DraftedLink,
  table: DraftedTable,
  { categories }: DraftedTable,
  { owned, parts }: DraftedSchema,
): Answer | undefined {
  const asked = owned.has(table.live.name) || parts.has(table.live.name)
  if (categories.size === 0 || !asked) return undefined
  const telling = [...categories.values()].some((category) =>
    /^user\.(contact\.(email|phone_number|address\.street|address$)|name|government_id|payment|financial|date_of_birth)/.test(
      category,
    ),
  )
  const reason = `Nothing says that rows of '${name}' are somebody's.`
  return none(telling ? 0.7 : 0.95, telling ? `${reason} But they have columns that look personal.` : reason)
}

function none(confidence: number, reason: string): Answer {
  return { direction: 'none', confidence, reason }
}

function from(confidence: number, reason: string): Answer {
  return { direction: 'from', confidence, reason }
}
