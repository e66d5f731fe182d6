import type { Issue } from '../../errors.js'
import { type Collection, type Dataset, type DatasetInput, type Field, parseDataset } from '../../model/dataset.js'
import { nearestKey } from '../../model/nearest-key.js'
import { invalidInput } from '../../model/parse-input.js'
import type { DirectionProposal, Proposal, ProposedReference } from '../../model/proposal.js'
import {
  type ApplyOptions,
  type ProposalChoice,
  parseApplyOptions,
  parseProposals,
} from '../../model/proposal-choice.js'

/**
 * Returns a copy of a drafted dataset with proposals applied. By itself it applies only proposals that give no row an
 * owner: categories, placeholders, references with `none`, tables whose rows belong to nobody, and views to skip. It
 * keeps what the dataset already says and leaves fields marked as `reviewed` alone. Throws `invalid_input` for an
 * unknown proposal id or option, and names the nearest known one.
 */
export function applyProposals(
  dataset: DatasetInput,
  proposals: readonly Proposal[],
  options: ApplyOptions = {},
): Dataset {
  const result = readDataset(dataset)
  parseProposals(proposals)
  const { atLeast = 0.8, accept = [], refuse = [] } = parseApplyOptions(options)
  const accepted = withIdentities(chosen('accept', accept, proposals), proposals)
  const refused = chosen('refuse', refuse, proposals)
  const places = placesOf(result)
  const isSaid = statedSkips(dataset)
  const missing: Issue[] = []
  for (const proposal of inOrder(proposals)) {
    const place = places(proposal)
    if (refused(proposal)) refuseAt(place, proposal)
    else if (accepted(proposal)) {
      if (place) applyAt(place, proposal)
      else missing.push(notThere(proposal))
    } else if (place && isHarmless(proposal) && !isSaid(proposal) && proposal.confidence >= atLeast) {
      if (!place.field?.service_meta.reviewed) applyAt(place, proposal)
    }
  }
  if (missing.length > 0) throw invalidInput('choice of proposals', missing)
  return result
}

/** Reads the dataset in the same way as attaching it does. */
function readDataset(dataset: unknown): Dataset {
  const { collections, dataset: inner } = { ...(dataset as Partial<Dataset> & { dataset?: unknown }) }
  if (Array.isArray(collections)) return parseDataset(structuredClone(dataset)).value
  const msg = `must be the dataset of a draft${inner === undefined ? '' : ', not the whole draft'}: applyProposals(draft.dataset, draft.proposals)`
  throw invalidInput('dataset', [{ loc: [], msg, type: 'invalid_type' }])
}

/** Whether the input itself says if a collection is searched. The parsed dataset always says so. */
function statedSkips({ collections }: DatasetInput): (proposal: Proposal) => boolean {
  const said = new Set(collections?.flatMap((each) => (each.service_meta?.skip_processing == null ? [] : [each.name])))
  return ({ kind, collection }) => kind === 'skip' && said.has(collection)
}

/** Whether a proposal gives no row an owner. */
function isHarmless(proposal: Proposal): boolean {
  switch (proposal.kind) {
    case 'category':
    case 'placeholders':
    case 'skip':
      return true
    case 'direction':
      return proposal.direction === 'none'
    case 'owner':
      return proposal.owner.length === 0
    case 'identity':
    case 'reference':
      return false
  }
}

function chosen(
  option: string,
  choice: ProposalChoice,
  proposals: readonly Proposal[],
): (proposal: Proposal) => boolean {
  if (typeof choice === 'function') return choice
  const known = new Set(proposals.map(({ id }) => id))
  const issues = choice.flatMap((id, at) => {
    if (known.has(id)) return []
    const nearest = nearestKey(id, known)
    const msg = `is not a proposal${nearest === undefined ? '' : `: the nearest is '${nearest}'`}`
    return [{ loc: [option, at], msg, type: 'unknown_proposal' }]
  })
  if (issues.length > 0) throw invalidInput('choice of proposals', issues)
  const ids = new Set(choice)
  return ({ id }) => ids.has(id)
}

/** An owner that is a field of the row itself has to be an identity, so accepting the owner accepts that too. */
function withIdentities(accepted: (proposal: Proposal) => boolean, proposals: readonly Proposal[]) {
  const owners = new Set(
    proposals.flatMap((each) =>
      each.kind === 'owner' && accepted(each) ? each.owner.map((field) => `${each.collection}.${field}`) : [],
    ),
  )
  return (proposal: Proposal) =>
    accepted(proposal) || (proposal.kind === 'identity' && owners.has(`${proposal.collection}.${proposal.field}`))
}

/** A direction comes after the reference it is about. */
function inOrder(proposals: readonly Proposal[]): readonly Proposal[] {
  const isDirection = ({ kind }: Proposal) => kind === 'direction'
  return [...proposals.filter((each) => !isDirection(each)), ...proposals.filter(isDirection)]
}

interface Place {
  readonly collection: Collection
  /** Undefined where the proposal is about the collection. */
  readonly field: Field | undefined
}

function placesOf({ collections }: Dataset): (proposal: Proposal) => Place | undefined {
  const byName = new Map(collections.map((collection) => [collection.name, collection]))
  return (proposal) => {
    const collection = byName.get(proposal.collection)
    if (!collection) return undefined
    if (!('field' in proposal)) return { collection, field: undefined }
    const field = fieldAt(collection, proposal.field)
    return field && { collection, field }
  }
}

/** Every field, those of objects as well, with its dotted name. */
function fieldsOf(fields: readonly Field[], above = ''): [name: string, field: Field][] {
  return fields.flatMap((field): [string, Field][] => {
    const name = `${above}${field.name}`
    return [[name, field], ...fieldsOf(field.fields, `${name}.`)]
  })
}

function fieldAt({ fields }: Collection, dotted: string): Field | undefined {
  return fieldsOf(fields).find(([name]) => name === dotted)?.[1]
}

function notThere(proposal: Proposal): Issue {
  const msg = `'${proposal.id}' is about something that the dataset no longer has`
  return { loc: ['accept'], msg, type: 'unknown_field' }
}

function refuseAt(place: Place | undefined, proposal: Proposal): void {
  if (!place) return
  const { collection, field } = place
  if (field) field.service_meta.reviewed = true
  else if (proposal.kind === 'skip') collection.service_meta.skip_processing = false
  else if (proposal.kind === 'owner')
    for (const own of collection.fields) {
      // the references of an owner are answered by themselves
      const isOwn = proposal.owner.includes(own.name) && own.service_meta.references.length === 0
      if (isOwn && own.service_meta.identity === undefined) own.service_meta.reviewed = true
    }
}

function applyAt({ collection, field }: Place, proposal: Proposal): void {
  if (proposal.kind === 'skip') {
    collection.service_meta.skip_processing = true
  } else if (proposal.kind === 'owner') {
    collection.service_meta.owner ??= [...proposal.owner]
  } else if (proposal.kind === 'direction') {
    direct(collection, proposal)
  } else if (field) {
    const meta = field.service_meta
    if (proposal.kind === 'category') {
      if (field.data_categories.length === 0) field.data_categories = [proposal.category]
    } else if (proposal.kind === 'identity') meta.identity ??= proposal.identity
    else if (proposal.kind === 'placeholders') {
      if (meta.placeholders.length === 0) meta.placeholders = [...proposal.placeholders]
    } else refer(field, proposal.references)
  }
}

/** A group is one reference, so all its parts get the same direction. */
function direct(collection: Collection, { field, references, direction }: DirectionProposal): void {
  const target = ({ field: name }: { readonly field: string }) => name.slice(0, name.lastIndexOf('.'))
  if (references.group === undefined) refer(fieldAt(collection, field)!, references)
  for (const [name, each] of fieldsOf(collection.fields)) {
    for (const reference of each.service_meta.references) {
      const isMeant =
        references.group === undefined
          ? name === field && isSame(reference, references)
          : reference.group === references.group && target(reference) === target(references)
      if (isMeant) reference.direction ??= direction
    }
  }
}

function refer(field: Field, { dataset, field: name, group, when }: ProposedReference): void {
  const meta = field.service_meta
  const reference = { dataset, field: name, ...(group !== undefined && { group }), ...(when && { when: { ...when } }) }
  if (!meta.references.some((each) => isSame(each, reference))) meta.references.push(reference)
}

function isSame(one: ProposedReference | Written, other: ProposedReference | Written): boolean {
  const said = ({ dataset, field, group, when }: ProposedReference | Written) =>
    JSON.stringify([dataset, field, group, when && Object.entries(when).sort()])
  return said(one) === said(other)
}

type Written = Field['service_meta']['references'][number]
