import { erasureDecision } from '../erase/erasure-text.js'
import { counted } from '../value/counted-rows.js'
import type { Plan, PlannedCollection } from './plan.js'
import { type PlanWay, planWays } from './plan-ways.js'
import { doubtsText, elementsText, fewNames, ownerText, undecidedText, unsearchedText } from './plan-wording.js'
import { ownColumns } from './spelled-column.js'

/**
 * Draws the plan as a Mermaid flowchart. Solid arrows lead to own rows. Such an arrow ends in a circle where the owner
 * is inferred. Dotted arrows lead to rows that own rows refer to. Dotted lines are open references. The border shows
 * whether an erasure deletes or masks the rows.
 */
export function planMermaid(plan: Plan): string {
  const { collections, open } = plan
  const unsearched = plan.unsearched.filter(({ reason }) => reason !== 'no target needs it')
  const known = [...collections, ...unsearched].map(({ address }) => address)
  const addresses = [...new Set([...known, ...open.flatMap(({ by, address }) => [by, address])])]
  const counting = addresses.slice(known.length)
  const isCounted = new Set(counting)
  const needless = plan.unsearched.filter(
    ({ reason, address }) => reason === 'no target needs it' && !isCounted.has(address),
  )
  const ids = new Map(addresses.map((address, at) => [address, `c${at}`]))
  const properties = [...new Set(collections.flatMap(({ identities }) => identities.map(({ property }) => property)))]
  const propertyIds = new Map(properties.map((property, at) => [property, `i${at}`]))
  const delivers = collections.some((collection) => deliveredCount(collection) > 0)
  const used = new Set<string>()
  const node = (address: string, lines: readonly string[], style?: string) => {
    if (style !== undefined) used.add(style)
    return `  ${ids.get(address)}${box([address, ...lines])}${style === undefined ? '' : `:::${style}`}`
  }
  const nodes = [
    ...collections.map((collection) => {
      const decision = erasureDecision(plan, collection)
      const lines = [...readWords(collection, delivers), ...(decision?.words ?? [])]
      return node(collection.address, lines, decision?.kind)
    }),
    ...unsearched.map((each) => node(each.address, [`not searched: ${unsearchedText(each)}`], 'unsearched')),
    ...counting.map((address) => node(address, ['counted only'])),
    ...properties.map((property) => `  ${propertyIds.get(property)}([${quoted([property])}])`),
  ]
  if (needless.length > 0) {
    used.add('unsearched')
    const names = needless.map(({ address }) => address)
    nodes.push(`  others${box([fewNames(names, 'collection'), 'not searched: no target needs it'])}:::unsearched`)
  }
  const edges = [
    ...planWays(plan).map((way) => {
      const from = way.property === undefined ? ids.get(way.from as string) : propertyIds.get(way.property)
      return `  ${from} ${arrowOf(way)}|${quoted([way.label])}| ${ids.get(way.to)}`
    }),
    ...open.map(({ by, address, name, kind, why }) => {
      const field = name.slice((kind === 'reference' ? address : by).length + 1)
      return `  ${ids.get(by)} -.-|${quoted([`${field}: open ${kind}`, why])}| ${ids.get(address)}`
    }),
  ]
  const classes = Object.entries(styles).filter(([style]) => used.has(style))
  return ['flowchart LR', ...nodes, ...edges, ...classes.map(([style, css]) => `  classDef ${style} ${css}`)].join('\n')
}

const styles = {
  deleted: 'stroke:#c62828,stroke-width:3px',
  masked: 'stroke:#ef6c00,stroke-width:3px',
  kept: 'stroke:#2e7d32',
  unsearched: 'stroke-dasharray: 4 3,opacity:0.6',
}

/** The columns that are read, the fields that are delivered, and the owner where no arrow shows it. */
function readWords(collection: PlannedCollection, delivers: boolean): string[] {
  const { columns, judging, others } = collection
  const read = `reads ${counted(ownColumns(columns).length, 'column')}`
  const fields = deliveredCount(collection)
  const words = [delivers ? `${read}, delivers ${fields === 0 ? 'nothing' : counted(fields, 'field')}` : read]
  if (others) words.push('also delivers rows of other people')
  if (judging.first) words.push(ownerText(judging) as string)
  return [...words, elementsText(judging), undecidedText(judging), doubtsText(collection)].filter(
    (each) => each !== undefined,
  )
}

function deliveredCount({ deliver }: PlannedCollection): number {
  return new Set(deliver.flatMap(({ paths }) => paths.map((path) => path.join('.')))).size
}

/** The arrow of a way, between the ids of its ends. */
const arrowOf = (way: PlanWay) => (way.kind === 'part' ? '-.->' : way.kind === 'inferred' ? '--o' : '-->')

const box = (lines: readonly string[]) => `[${quoted(lines)}]`

/** Escapes names from databases, so that none can end the text or become markup. */
function quoted(lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    line.replace(/[^\p{L}\p{N} .,:_→()'-]/gu, (character) => `#${character.codePointAt(0)};`),
  )
  return `"${escaped.join('<br/>')}"`
}
