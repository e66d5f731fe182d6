import type { Dataset } from '../../model/dataset.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import { declaredPlaces, groupPlaces, type PlaceGroup } from '../../rules/policy/declared-places.js'
import type { TaxonomyLinks } from '../../rules/policy/targets.js'
import { type DeclarationOf, type ProhibitedUse, violationFinder } from '../../rules/policy/violation-finder.js'
import { countOf, type PlacedViolation, violationsOf } from '../../rules/policy/violations.js'
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
  /** Called between small steps. */
  breathe(): Promise<void>
}

/**
 * Evaluates declarations, and the datasets that they refer to. It takes one dataset after the other, so its memory does not
 * grow with their number.
 */
export function systemEvaluation({ policies, systems, links, most, breathe }: EvaluationWork) {
  const finder = violationFinder(policies, links)
  const references = referencesByDataset(systems)
  const first: PlacedViolation[] = []
  let count = 0

  function add(use: ProhibitedUse): void {
    count += countOf(use)
    if (first.length < most) first.push(...violationsOf(use, most - first.length))
  }

  return {
    /** The keys of the datasets that the declarations refer to, sorted. */
    datasetKeys: [...references.keys()].sort(),

    async addDeclarations(): Promise<void> {
      for (const system of systems) {
        system.privacy_declarations.forEach((_, index) => {
          for (const use of finder.inDeclaration({ system, index })) add(use)
        })
        await breathe()
      }
    },

    /** Resolves with what it holds. */
    async addDataset(dataset: Dataset): Promise<readonly PlaceGroup[]> {
      const groups = groupPlaces(declaredPlaces(dataset), links.dataQualifiers)
      for (const declaration of references.get(dataset.service_key) ?? []) {
        for (const use of finder.inDataset(declaration, dataset.service_key, groups)) add(use)
        await breathe()
      }
      return groups
    },

    found: (): FoundViolations => ({ first, count }),
  }
}

function referencesByDataset(systems: readonly System[]): Map<string, DeclarationOf[]> {
  const references = new Map<string, DeclarationOf[]>()
  for (const system of systems) {
    system.privacy_declarations.forEach(({ dataset_references: keys }, index) => {
      for (const key of new Set(keys)) appendTo(references, key, { system, index })
    })
  }
  return references
}
