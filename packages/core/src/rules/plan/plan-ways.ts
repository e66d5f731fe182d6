import type { IdentitySeed, Plan } from './plan.js'
import { confirmationText, isInferred, linkNotes, whenText } from './plan-wording.js'

/** A way by which rows are found: from a property of the identity, or from the rows of another collection. */
export type PlanWay = WayFrom & {
  readonly to: string
  /** The fields that lead there, and what has to be known about them. */
  readonly label: string
  /** `own` and `inferred`: to rows of the person. `part`: to rows that rows of the person refer to. */
  readonly kind: 'own' | 'inferred' | 'part'
}

type WayFrom =
  | { readonly property: string; readonly from?: undefined }
  | { readonly from: string; readonly property?: undefined }

/** The ways of a plan, each once, in the order of the collections. Keys that are only compared find nothing. */
export function planWays({ collections }: Pick<Plan, 'collections'>): PlanWay[] {
  const byAddress = new Map(collections.map((collection) => [collection.address, collection]))
  const ways = new Map<string, PlanWay>()
  const add = (way: PlanWay) => ways.set(JSON.stringify(way), way)
  for (const { address, entries, identities, links } of collections) {
    for (const seed of identities) {
      const { entry: own, property } = seed
      const isTold = (each: IdentitySeed) => each.entry === own && each.property === property && !each.needsConfirmation
      // Of two addresses where one waits for confirmation, the other finds rows immediately.
      if (seed.needsConfirmation && identities.some(isTold)) continue
      const field = entries[own]?.fields[0]?.name ?? property
      add({ property, to: address, label: field + confirmationText(seed), kind: 'own' })
    }
    for (const link of links) {
      if (link.kind === 'compared') continue
      const into = byAddress.get(link.to)
      const entry = into?.entries[link.entry]
      const names = link.fields.map(({ name }, part) => `${name} → ${entry?.fields[part]?.name}`).join(', ')
      const words = [names, ...linkNotes(link, into?.judging), whenText(entry?.when ?? [])].filter(Boolean)
      const kind = link.kind === 'part' ? 'part' : isInferred(link, into?.judging) ? 'inferred' : 'own'
      add({ from: address, to: link.to, label: words.join(', '), kind })
    }
  }
  return [...ways.values()]
}
