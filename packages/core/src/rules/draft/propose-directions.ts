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
 * What each reference seems to say about owners. Measured on known schemas, `none` and `to` were hardly ever wrong, but
 * `from` was wrong one time in five, because a name cannot tell the person from somebody who works for them.
 */
export function proposeDirections(schema: DraftedSchema): DirectionProposal[] {
  const found: DirectionProposal[] = []
  for (const table of schema.tables.values()) {
    // Rows that belong to nobody need no answer.
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
      return none(0.85, 'A row that refers to another row of its own table does not belong to it.')
    case 'shared':
      return none(
        target.people || target.doubtful ? 0.6 : 0.95,
        `'${link.target}' is named like something that belongs to many.`,
      )
    case 'person':
      return person(link, table, target, schema)
    case 'lookup':
      return lookup(link, table, target, schema)
    case 'other':
      return schema.owned.has(link.target) ? parent(link, table, schema) : unowned(link, table, target, schema)
  }
}

/** A person who worked on the row may also own it, if the row need not name anybody else. */
function agent(link: DraftedLink, table: DraftedTable, schema: DraftedSchema): Answer {
  const reason = 'The column is named like one for a person who worked on the row.'
  if (link.columns.some((column) => isInvitedColumn(table.live.name, column)))
    return none(
      0.5,
      `${reason} But a person who accepts an invitation is one of its two sides: say 'from' if the row also belongs to them.`,
    )
  return mayBeOwner(link, table, schema)
    ? none(0.75, `${reason} But the row need not name anybody else, so it may belong to them.`)
    : none(0.95, reason)
}

function person(link: DraftedLink, table: DraftedTable, target: DraftedTable, { owned }: DraftedSchema): Answer {
  const { columns, nullable, onDelete } = link
  const people = table.links.filter(({ role }) => role === 'person')
  const reason = `The column refers to '${link.target}', which seems to hold people.`
  if (columns.some(isPartyColumn)) {
    return from(
      people.length > 1 ? 0.75 : 0.7,
      `${reason} It is named like one of two sides, and the row concerns both.`,
    )
  }
  if (identifiesPeople(link, table, target)) {
    const why = `${reason} The row holds data that identifies them, such as an e-mail address.`
    return { direction: 'both', confidence: 0.7, reason: why }
  }
  if (people.length > 1 && columns.some((column) => /employee|mitarbeiter/i.test(column))) {
    return none(0.75, 'The column is named like one for an employee, and the row also names another person.')
  }
  const doubts = [
    columns.some(isRoleColumn) && 'it may name a person who worked on the row',
    nullable && 'it may be null',
    onDelete === 'set null' && 'the row stays when that person is deleted',
    table.people && 'the row seems to be a person itself',
    !table.people && holdsMail(table) && 'the row has an e-mail address of its own',
    people.length > 1 && 'the row also names others',
    table.links.some((each) => each.role === 'other' && owned.has(each.target)) &&
      'the row also belongs to something else',
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
  if (refersToPerson(target)) return none(0.85, `The rows of '${name}' name their owner themselves.`)
  if (!owned.has(table.live.name) && !parts.has(table.live.name)) return undefined
  const reason = `'${name}' is named like a part of the row that refers to it.`
  return { direction: 'to', confidence: 0.95, reason }
}

/** The answer where the referenced row has an owner. */
function parent(link: DraftedLink, table: DraftedTable, { owned }: DraftedSchema): Answer {
  const { target, nullable, onDelete } = link
  if (isContentParent(target)) {
    if (onDelete === 'set null') return none(0.95, `The row outlives the row of '${target}' that it refers to.`)
    if (refersToPerson(table)) {
      return none(
        0.93,
        `The row names a person itself. The row of '${target}' that it refers to may belong to somebody else.`,
      )
    }
  }
  if (table.people) return none(0.85, 'A person does not belong to the owner of the row they refer to.')
  const reason = `The row is part of a row of '${target}', which seems to have an owner.`
  const persons = table.links.filter(({ role }) => role === 'person')
  if (persons.some((each) => !each.nullable)) {
    return none(0.75, `The row names a person itself, so '${target}' is not needed to know its owner.`)
  }
  if (persons.length > 0) return from(0.5, `${reason} But it may name a person itself.`)
  if (holdsMail(table)) return from(0.5, `${reason} But it has its own e-mail address.`)
  const candidates = table.links.filter((each) => each.role === 'other' && owned.has(each.target))
  return candidates.length === 1 && (!nullable || onDelete === 'cascade') ? from(0.85, reason) : from(0.6, reason)
}

/** A look-up of rows that belong to nobody needs a decision only where its columns look personal. */
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
  const reason = `Nothing says that rows of '${name}' have an owner.`
  return none(telling ? 0.7 : 0.95, telling ? `${reason} But they have columns that look personal.` : reason)
}

function none(confidence: number, reason: string): Answer {
  return { direction: 'none', confidence, reason }
}

function from(confidence: number, reason: string): Answer {
  return { direction: 'from', confidence, reason }
}
