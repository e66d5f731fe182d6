import type { ActionContext } from '../../actions/action-context.js'
import { type Acceptance, type AcceptanceKind, acceptanceOption, notAccepted } from '../../model/acceptance.js'
import type { ActionType } from '../../model/action-type.js'
import type { CollectionResult } from '../../model/collection-result.js'
import { settledBy } from '../../rules/erase/member-at.js'
import { hiddenCollections, missedCollections } from '../../rules/plan/open-decisions.js'
import type { Plan, UnsearchedCollection } from '../../rules/plan/plan.js'
import { unsearchedReason } from '../../rules/plan/plan-wording.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { Confirmation } from '../find/confirm-identities.js'
import type { RunEnd } from './run-end.js'

/** What a run asks a person to decide. */
interface Question {
  readonly kind: AcceptanceKind
  readonly names: readonly string[]
  readonly message: string
}

/**
 * Returns a pause until somebody corrects what is open, or accepts it by name. It asks everything that is known to be open.
 * `unread`: rows that were not read yet may bring up more.
 */
export function pausedForDecision(
  step: ActionType,
  questions: readonly Question[],
  { runtime }: Pick<ActionContext, 'runtime'>,
  { unread }: { readonly unread: boolean },
): RunEnd {
  const asked = questions.map(({ kind, names, message }) => {
    const list = names.map((name) => JSON.stringify(name)).join(', ')
    return `${message} accept_${kind}: [${list}] (${acceptanceOption(kind)} in TypeScript).`
  })
  const further = unread ? ['Further questions may follow once rows were read.'] : []
  const actionRequired = {
    step,
    collection: null,
    actionNeeded: null,
    message: [...asked, ...further].join(' '),
    accept: Object.fromEntries(questions.map(({ kind, names }) => [acceptanceOption(kind), names])),
  }
  const detail = { open: questions.map(({ kind }) => kind).join(', ') }
  return { event: 'pause', changes: { pausedAt: runtime.now().toISOString(), actionRequired }, detail }
}

/** Asks about collections that an erasure would not search, or not as a whole. Returns undefined when all were accepted. */
export function unsearchedQuestion(plan: Plan, accepted: Acceptance | undefined): Question | undefined {
  const missed = missedCollections(plan)
  const all = [...missed.map(({ address }) => address), ...hiddenCollections(plan)]
  const names = notAccepted(accepted, 'unsearched', all)
  if (names.length === 0) return undefined
  const left = missed.filter(({ address }) => names.includes(address))
  const hidden = hiddenCollections(plan).filter((address) => names.includes(address))
  const told = [
    ...left.map((each) => `'${each.address}' (${unsearchedReason(each)}) would not be searched`),
    ...hidden.map((address) => `the database may hide rows of '${address}', or mask values in them`),
  ]
  const ways = [
    ...left.map(nextSteps),
    ...(hidden.length > 0 ? ['let the user of the connection see every row and value'] : []),
  ]
  const message = `Nothing was erased: ${told.join('; ')}. Correct that: ${[...new Set(ways)].join('; ')}. Or leave it this time:`
  return { kind: 'unsearched', names, message }
}

/** Returns what to do so that a collection is searched, or need not be. */
function nextSteps({ address, reason, detail }: UnsearchedCollection): string {
  switch (reason) {
    case 'no connection':
      return `attach the dataset of '${address}' to a connection`
    case 'disabled':
      return `enable the connection of '${address}'`
    case 'skip_processing':
      return `take 'skip_processing' from '${address}', or the data categories where its rows are erased elsewhere`
    case 'members not searchable':
      return `have ${detail ?? 'what is searched for'} in a column of its own, as by a view, and describe that`
    case 'columns not searchable':
      return `let references of '${address}' name columns by which rows are looked up, instead of ${detail ?? 'others'}`
    case 'identity not provided':
      return `submit ${detail ?? 'an identity that reaches it'} as well`
    case 'identity not proven':
    case 'identity not confirmed':
      return `have ${detail ?? 'the identity'} verified or confirmed`
    case 'behind':
      return `have '${detail ?? 'what leads there'}' searched, through which '${address}' is reached`
    case 'unreachable':
    case 'no target needs it':
      return `on '${address}' say the 'identity' of a field or a reference that leads to the person, or owner: [] where its rows are nobody's`
  }
}

/** Asks about identity properties that no row can confirm or, with `confirmation`, that no row has confirmed. */
export function unconfirmedQuestion(
  plan: Plan,
  accepted: Acceptance | undefined,
  confirmation?: Confirmation,
): Question | undefined {
  const open = confirmation
    ? unconfirmedProperties(plan, confirmation)
    : plan.identities.flatMap(({ unconfirmable }) => unconfirmable)
  const names = notAccepted(accepted, 'unconfirmed', open)
  if (names.length === 0) return undefined
  const told = names.map((name) => `'${name}'`).join(' and ')
  const object = plan.identities.find(({ properties }) => names.some((name) => properties.includes(name)))
  const together = object?.properties.join(' and ') ?? ''
  const why = confirmation
    ? `no row of ${object?.confirmedBy.join(' or ')} confirms that the properties of the identity (${together}) are one person's`
    : `no collection that is searched holds ${told} together with another property of the identity (${together}), so that nothing confirms that they are one person's`
  const message = `No rows were searched for by ${told} alone: ${why}. Submit them as separate identities, correct them, describe the field that holds them, or go on without them:`
  return { kind: 'unconfirmed', names, message }
}

/** Returns the properties by which some collection is not searched, because nothing can confirm or has confirmed them. */
export function unconfirmedProperties(plan: Plan, { confirmed }: Confirmation): string[] {
  const never = plan.identities.flatMap(({ unconfirmable }) => unconfirmable)
  const left = plan.collections.flatMap(({ identities }) =>
    identities
      .filter(({ needsConfirmation, object, property }) => needsConfirmation && !confirmed(object, property))
      .map(({ property }) => property),
  )
  return [...new Set([...never, ...left])]
}

/** Returns, by address, the properties by which a collection was not searched because nothing has confirmed them. */
export function unconfirmedCollections(plan: Plan, { confirmed }: Confirmation): ReadonlyMap<string, string> {
  return new Map(
    plan.collections.flatMap(({ address, identities }) => {
      const left = identities.filter(
        ({ needsConfirmation, object, property }) => needsConfirmation && !confirmed(object, property),
      )
      return left.length > 0 ? [[address, [...new Set(left.map(({ property }) => property))].join(', ')] as const] : []
    }),
  )
}

/** Asks about undecided rows, which an erasure would leave. */
export function undecidedQuestion(
  plan: Plan,
  results: readonly CollectionResult[],
  accepted: Acceptance | undefined,
): Question | undefined {
  const all = results.flatMap(({ dataset, collection, undecided = [] }) =>
    undecided.map((each) => ({ ...each, address: `${dataset}:${collection}` })),
  )
  const names = notAccepted(
    accepted,
    'undecided',
    all.map(({ reference }) => reference),
  )
  if (names.length === 0) return undefined
  const told = all
    .filter(({ reference }) => names.includes(reference))
    .map(({ address, reference, rowCount, reason }) => {
      const rows = rowCount === null ? 'Rows' : countedRows(rowCount)
      const open = plan.open.find(({ name }) => name === reference)
      const answers = open?.answers ?? settledBy(reason ?? '', reference) ?? answersToOwn(address)
      const doubt = plan.collections.flatMap(({ doubts = [] }) => doubts).find(({ name }) => name === reference)
      const mixed = plan.collections.flatMap(({ mixed = [] }) => mixed).find(({ name }) => name === reference)
      if (mixed)
        return `${rows} of ${address} may hold what is asked for in ${reference} (${reason}). Store it in members as elsewhere, or give these members a category that the policy asks for.`
      if (doubt)
        return `${rows} of ${address} may hold something of another person beside ${reference} (${reason}). Say once in the dataset: ${doubt.answers}.`
      return `${rows} of ${address} may belong to this person by ${reference} (${reason}). Say once in the dataset: ${answers}.`
    })
  return { kind: 'undecided', names, message: `Nothing was erased. ${told.join(' ')} Or leave them this time:` }
}

/** Returns what a person may say about rows whose own fields leave open whose they are. */
function answersToOwn(address: string): string {
  return `the field that decides, in the 'owner' of '${address}', or 'direction: none' on a reference that says nothing of whose a row is (a reference decides only where a single row holds what it leads to)`
}
