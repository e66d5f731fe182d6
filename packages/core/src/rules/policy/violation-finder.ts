import type { Dimension, Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import { effectiveQualifier } from './declared-fields.js'
import type { DeclaredPlace, PlaceGroup } from './declared-places.js'
import { type HeldPart, heldTogether } from './held-together.js'
import { isCovered, matchedItems } from './matches-dimension.js'
import { type Prohibition, prohibitionsOf } from './prohibitions.js'
import type { TaxonomyLinks } from './targets.js'

/** A declaration of a system, by its position. A finder takes each as the same object every time. */
export interface DeclarationOf {
  readonly system: System
  readonly index: number
}

/** A prohibition and what it met: in a declaration, or in equal places of one dataset to which the declaration refers. */
export interface ProhibitedUse extends Prohibition {
  readonly declaration: DeclarationOf
  readonly dataset?: string
  /** Absent where the declaration itself names the data. */
  readonly places?: readonly DeclaredPlace[]
  /** Absent where one place holds all of it. */
  readonly together?: HeldTogether
  readonly dataCategories: readonly string[]
  readonly dataUses: readonly string[]
  readonly dataSubjects: readonly string[]
  readonly dataQualifier?: string
}

/** What holds data that a rule prohibits together. */
export interface HeldTogether {
  /** Whether the declaration itself names some of it. */
  readonly isDeclared: boolean
  readonly datasets: readonly string[]
}

/**
 * Compares declarations with the prohibitions of policies. A declaration is prohibited when it matches in every dimension
 * that a rule names. Data of a dataset is compared with the use and the subjects of the declaration that refers to it.
 */
export function violationFinder(policies: readonly Policy[], links: TaxonomyLinks) {
  const comparisons = policies.flatMap(prohibitionsOf).map((prohibition) => comparison(prohibition, links))
  return {
    /** What the declaration itself names. */
    inDeclaration: (declaration: DeclarationOf): ProhibitedUse[] =>
      comparisons.flatMap(({ inDeclaration }) => inDeclaration(declaration) ?? []),
    /** What a dataset holds to which it refers. */
    inDataset: (declaration: DeclarationOf, dataset: string, groups: readonly PlaceGroup[]): ProhibitedUse[] =>
      comparisons.flatMap(({ inDataset }) => inDataset(declaration, dataset, groups)),
    /** What the declarations and datasets that were looked at hold together, and none of their places alone. */
    together: (): ProhibitedUse[] => comparisons.flatMap(({ together }) => together()),
  }
}

/** Whether the rules of a policy ask for several categories at once, which a declaration and its datasets may hold together. */
export function asksForSeveral(policy: Policy): boolean {
  return prohibitionsOf(policy).some(({ rule: { data_categories: asked } }) => isOfSeveral(asked))
}

function isOfSeveral(asked: Dimension | undefined): boolean {
  return asked?.matches === 'ALL' && asked.values.length > 1
}

/** What was met of each dimension; empty where the rule does not name it, undefined where it does not match. */
type Met = readonly string[] | undefined

function comparison(prohibition: Prohibition, links: TaxonomyLinks) {
  const { data_categories, data_uses, data_subjects, data_qualifier } = prohibition.rule
  const categoriesIn = rememberedItems(data_categories, links)
  // Each part that holds one of them is a part of the whole.
  const someOf =
    data_categories && isOfSeveral(data_categories) ? { ...data_categories, matches: 'ANY' as const } : undefined
  const someIn = rememberedItems(someOf, links)
  const held = heldTogether<DeclarationOf>()
  const qualifierMatches = (qualifier: string) =>
    data_qualifier === undefined || isCovered(qualifier, data_qualifier, links.dataQualifiers)

  /** The part of the declaration that also holds for the datasets it refers to. */
  const purpose = ({ system, index }: DeclarationOf) => {
    const { data_use: use, data_subjects: subjects = [] } = system.privacy_declarations[index] ?? {}
    const dataUses = data_uses ? matchedItems(data_uses, use === undefined ? [] : [use], links.dataUses) : []
    const dataSubjects = data_subjects ? matchedItems(data_subjects, [...new Set(subjects)], links.dataSubjects) : []
    return dataUses && dataSubjects && { dataUses, dataSubjects }
  }

  const note =
    someOf &&
    ((declaration: DeclarationOf, all: Met, part: HeldPart) => {
      if (all) held.leaveOut(declaration)
      else if (part.categories.length > 0) held.add(declaration, part)
    })

  return {
    inDeclaration(declaration: DeclarationOf): ProhibitedUse | undefined {
      const met = purpose(declaration)
      const declared = declaration.system.privacy_declarations[declaration.index]
      if (!met || !declared) return undefined
      const { data_categories: categories, data_qualifier: own, dataset_references: datasets } = declared
      // A declaration that leaves it to its datasets which data is used says nothing about how identifiable it is.
      const isOfDatasets = categories.length === 0 && own === undefined && datasets.length > 0
      if (isOfDatasets && data_qualifier !== undefined) return undefined
      const qualifier = effectiveQualifier(own === undefined ? [] : [own])
      if (!qualifierMatches(qualifier)) return undefined
      const dataCategories = categoriesIn(categories)
      note?.(declaration, dataCategories, { categories: someIn(categories) ?? [], qualifier })
      if (!dataCategories) return undefined
      return {
        ...prohibition,
        declaration,
        ...met,
        dataCategories,
        ...(data_qualifier !== undefined && { dataQualifier: qualifier }),
      }
    },

    inDataset(declaration: DeclarationOf, dataset: string, groups: readonly PlaceGroup[]): ProhibitedUse[] {
      // Such a rule is about the declaration, whatever its datasets hold.
      if (data_categories === undefined && data_qualifier === undefined) return []
      const met = purpose(declaration)
      if (!met) return []
      return groups.flatMap(({ categories, signature, qualifier, places }) => {
        if (!qualifierMatches(qualifier)) return []
        const dataCategories = categoriesIn(categories, signature)
        note?.(declaration, dataCategories, { categories: someIn(categories, signature) ?? [], qualifier, dataset })
        if (!dataCategories) return []
        const dataQualifier = data_qualifier !== undefined && { dataQualifier: qualifier }
        return [{ ...prohibition, declaration, dataset, places, ...met, dataCategories, ...dataQualifier }]
      })
    },

    together(): ProhibitedUse[] {
      return held.several().flatMap(([declaration, parts]) => {
        const met = purpose(declaration)
        const dataCategories = categoriesIn(parts.flatMap(({ categories }) => categories))
        if (!met || !dataCategories) return []
        const datasets = [...new Set(parts.flatMap(({ dataset }) => dataset ?? []))]
        const isDeclared = parts.some(({ dataset }) => dataset === undefined)
        const inOne = !isDeclared && datasets.length === 1 && { dataset: datasets[0] as string }
        const qualifier = effectiveQualifier(
          parts.map((part) => part.qualifier),
          links.dataQualifiers,
        )
        const dataQualifier = data_qualifier !== undefined && { dataQualifier: qualifier }
        const together = { isDeclared, datasets }
        return [{ ...prohibition, declaration, ...inOne, together, ...met, dataCategories, ...dataQualifier }]
      })
    },
  }
}

/** The items by which declared keys match. Few combinations of categories occur, each in many places. */
function rememberedItems(asked: Dimension | undefined, { dataCategories: parents }: TaxonomyLinks) {
  const remembered = new Map<string, Met>()
  return (categories: readonly string[], signature = categories.join('\0')): Met => {
    if (asked === undefined) return []
    if (!remembered.has(signature)) {
      remembered.set(signature, matchedItems(asked, [...new Set(categories)], parents))
    }
    return remembered.get(signature)
  }
}
