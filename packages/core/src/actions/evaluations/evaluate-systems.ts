import type { Dataset } from '../../model/dataset.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import { declaredPlaces, groupPlaces, type PlaceGroup } from '../../rules/policy/declared-places.js'
import type { TaxonomyLinks } from '../../rules/policy/targets.js'
import { type DeclarationOf, type ProhibitedUse, violationFinder } from '../../rules/policy/violation-finder.js'
import { countOf, type PlacedViolation, violationsOf } from '../../rules/policy/violations.js'
import type { WiderKeyFinder } from '../../rules/policy/wider-keys.js'
import { appendTo } from '../../rules/value/append-to.js'

/** The first violations, and how many there are. */
export interface FoundViolations {
  readonly first: readonly PlacedViolation[]
  readonly count: number
}

export interface EvaluationWork {
  readonly policies: readonly Policy[]
  readonly systems: readonly System[]
  readonly links: TaxonomyLinks
  /** How many violations are wanted; the others are only counted. */
  readonly most: number
  /** Leaves out violations in which this dataset has no part. */
  readonly about?: string | undefined
  /** Is given the same, where somebody wants its warnings. */
  readonly wider?: WiderKeyFinder | undefined
  /** Called between small steps. */
  breathe(): Promise<void>
}

/**
 * Evaluates declarations, and the datasets that they refer to. It takes one dataset after the other, so its memory does not
 * grow with their number.
 */
export function systemEvaluation({ policies, systems, links, most, about, wider, breathe }: EvaluationWork) {
  const finder = violationFinder(policies, links)
  const declarations = systems.flatMap((system) =>
    system.privacy_declarations.map((_, index): DeclarationOf => ({ system, index })),
  )
  const references = referencesByDataset(declarations)
  const first: PlacedViolation[] = []
  let count = 0

  function add(use: ProhibitedUse): void {
    if (about !== undefined && use.dataset !== about && !use.together?.datasets.includes(about)) return
    count += countOf(use)
    if (first.length < most) first.push(...violationsOf(use, most - first.length))
  }

  return {
    /** The keys of the datasets that the declarations refer to, sorted. */
    datasetKeys: [...references.keys()].sort(),

    async addDeclarations(): Promise<void> {
      for (const declaration of declarations) {
        for (const use of finder.inDeclaration(declaration)) add(use)
        wider?.addDeclaration(declaration)
        await breathe()
      }
    },

    /** Resolves with what it holds. */
    async addDataset(dataset: Dataset): Promise<readonly PlaceGroup[]> {
      const groups = groupPlaces(declaredPlaces(dataset), links.dataQualifiers)
      for (const declaration of references.get(dataset.service_key) ?? []) {
        for (const use of finder.inDataset(declaration, dataset.service_key, groups)) add(use)
        wider?.addDataset(declaration, dataset.service_key, groups)
        await breathe()
      }
      return groups
    },

    /** Adds what declarations and datasets hold together, once all of them were added. */
    addTogether(): void {
      for (const use of finder.together()) add(use)
    },

    found: (): FoundViolations => ({ first, count }),
  }
}

function referencesByDataset(declarations: readonly DeclarationOf[]): Map<string, DeclarationOf[]> {
  const references = new Map<string, DeclarationOf[]>()
  for (const declaration of declarations) {
    const keys = declaration.system.privacy_declarations[declaration.index]?.dataset_references
    for (const key of new Set(keys)) appendTo(references, key, declaration)
  }
  return references
}
