import type { Plan, PlannedCollection } from '@habeas/core'
import { doubtsText, elementsText, erasureDecision, ownerText, retainText, undecidedText } from '@habeas/core'
import { fact } from '../picture/facts.js'
import type { Fact, Section } from '../picture/picture.js'

type Erasure = NonNullable<PlannedCollection['erasure']>

/** What a click on a searched collection shows, besides its ways and what is open. */
export function collectionSections(plan: Plan, collection: PlannedCollection): Section[] {
  const { columns, connectionKey, deliver, judging, notRead, others, read } = collection
  const decision = erasureDecision(plan, collection)
  return [
    {
      heading: 'What an erasure does',
      facts: [
        ...(decision ? fact('In short', ...decision.words) : []),
        ...fact('Turn', turnOf(plan, collection.address)),
        ...(collection.erasure ? erasureFacts(collection.erasure) : []),
      ],
    },
    {
      heading: 'What is delivered',
      facts: [
        ...deliver.flatMap(({ rule, paths }) => fact(`Rule ${rule}`, ...paths.map((path) => path.join('.')))),
        ...fact('Rows of other people', others ? 'are delivered as well' : undefined),
      ],
    },
    {
      heading: 'Whose its rows are',
      facts: [
        ...fact('Owner', ownerText(judging), elementsText(judging)),
        ...fact('Identities', ...judging.identities.map(({ property, field }) => `${field.name}: ${property}`)),
        ...fact('Undecided', undecidedText(judging), doubtsText(collection)),
      ],
    },
    {
      heading: 'What is read',
      facts: [
        ...fact('Connection', connectionKey),
        ...read.flatMap(({ field, reasons }) => fact(field, ...reasons)),
        ...fact('Columns', columns.join(', ')),
        ...fact('Not read', notRead.join(', ')),
      ],
    },
  ]
}

/** When a collection is written. Those that lead to others follow them. */
function turnOf({ erasure = [], collections }: Plan, address: string): string | undefined {
  const written = new Set(collections.flatMap((each) => (each.erasure ? [each.address] : [])))
  const order = erasure.flatMap(({ members }) => members.filter((each) => written.has(each)))
  const turn = order.indexOf(address)
  return turn < 0 ? undefined : `written as number ${turn + 1} of ${order.length}`
}

function erasureFacts(erasure: Erasure): Fact[] {
  const {
    how,
    key,
    keySource,
    masks,
    retain,
    retained,
    pointedToBy,
    readOnly,
    byHand,
    keptDays,
    keptCopies = [],
  } = erasure
  const names = key.map(({ column }) => column).join(', ')
  const stays = how === 'delete' ? retained.filter(({ reason }) => reason !== 'key') : retained
  const pointing = [...new Set(pointedToBy.map(({ address, collection }) => address ?? collection))]
  return [
    ...fact('Rows', retain && retainText(retain), how === 'delete' ? 'are deleted' : 'stay, with masked fields'),
    ...fact('Who does it', byHand && 'a person, and the request waits for it'),
    ...fact('Rows are named by', keySource === 'none' ? 'all their values' : `${keySource} ${names}`),
    ...masks.flatMap(({ field, strategy, dataCategories, rule }) =>
      fact(
        how === 'delete' ? `Masked where the row stays: ${field}` : `Masked: ${field}`,
        `${strategy.strategy}, by rule ${rule}`,
        dataCategories.join(', '),
      ),
    ),
    ...stays.flatMap(({ field, reason }) => fact(`Stays: ${field}`, reason)),
    ...fact('Only while no other row refers to it from', ...pointing),
    ...fact('Cannot be written', readOnly && 'its connection is read-only'),
    ...fact('The server keeps what is erased', keptDays === undefined ? undefined : `for ${keptDays} days`),
    ...fact('Not reached', ...keptCopies.map(({ name, kind }) => `${name} (${kind.replace('_', ' ')})`)),
  ]
}
