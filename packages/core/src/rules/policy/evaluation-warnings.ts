import type { Warning } from '../../model/clean-input.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import { prohibitionsOf, prohibitionWarnings } from './prohibitions.js'
import { declarationName } from './violations.js'

/** The most warnings of one evaluation. */
const mostWarnings = 100

/** What was evaluated. */
export interface EvaluatedParts {
  readonly systems: readonly System[]
  /** The keys of the registries whose systems were asked for. */
  readonly registries: readonly string[]
  /** The keys of datasets that have any data categories. */
  readonly categorized: ReadonlySet<string>
  /** How many datasets no system refers to. */
  readonly unreferenced: number
  /** The keys that are wider than prohibited ones. */
  readonly wider: readonly Warning[]
}

/** What an evaluation could not say anything about: a policy may pass because nobody has declared what it asks about. */
export function evaluationWarnings(policy: Policy, evaluated: EvaluatedParts): Warning[] {
  const { systems, registries, unreferenced, wider } = evaluated
  const warnings = [
    // first, since a verdict may rest on it, and the last of many are left out
    ...emptyRegistries(registries, systems),
    ...prohibitionWarnings(policy),
    ...(systems.length > 0 || registries.length > 0
      ? []
      : [{ loc: ['system'], msg: 'No system is described, so nothing was evaluated: describe one.' }]),
    ...(unreferenced === 0 ? [] : [unreferencedDatasets(unreferenced)]),
    ...wider,
    ...undeclaredUses(policy, evaluated),
  ]
  const more = warnings.length - mostWarnings
  if (more <= 0) return warnings
  return [...warnings.slice(0, mostWarnings), { loc: [], msg: `There are ${more} more warnings like these.` }]
}

function emptyRegistries(registries: readonly string[], systems: readonly System[]): Warning[] {
  const named = new Set(systems.map((system) => system.registry_service_key))
  return registries.flatMap((key) => {
    const msg = `Registry '${key}' has no system, so nothing of it was evaluated: name it in the registry_service_key of its systems.`
    return named.has(key) ? [] : [{ loc: ['registry', key], msg }]
  })
}

function unreferencedDatasets(count: number): Warning {
  const datasets = count === 1 ? 'One dataset is' : `${count} datasets are`
  const msg = `${datasets} not evaluated, because no declaration of a system refers to ${count === 1 ? 'it' : 'them'}: name ${count === 1 ? 'it' : 'them'} in dataset_references.`
  return { loc: ['dataset'], msg }
}

/** Declarations that leave out what a rule asks about, as do their datasets, and that therefore never match it. */
function undeclaredUses(policy: Policy, { systems, categorized }: EvaluatedParts): Warning[] {
  const rules = prohibitionsOf(policy).map(({ rule }) => rule)
  const asks = {
    data_use: rules.some(({ data_uses }) => data_uses !== undefined),
    data_subjects: rules.some(({ data_subjects }) => data_subjects !== undefined),
    data_categories: rules.some(({ data_categories }) => data_categories !== undefined),
  }
  return systems.flatMap((system) => {
    const key = system.service_key
    if (system.privacy_declarations.length === 0) {
      const msg = `System '${key}' has no privacy declaration, so nothing of it was evaluated: add one.`
      return [{ loc: ['system', key, 'privacy_declarations'], msg }]
    }
    return system.privacy_declarations.flatMap((declaration, index) => {
      const {
        data_use: use,
        data_subjects: subjects,
        data_categories: categories,
        dataset_references: datasets,
      } = declaration
      const hasCategories = categories.length > 0 || datasets.some((dataset) => categorized.has(dataset))
      const missing = [
        ...(asks.data_use && use === undefined ? ['data_use'] : []),
        ...(asks.data_subjects && subjects.length === 0 ? ['data_subjects'] : []),
        ...(asks.data_categories && !hasCategories ? ['data_categories'] : []),
      ]
      return missing.map((member) => {
        const isOfDatasets = member === 'data_categories' && datasets.length > 0
        const lacks = `has no ${member}${isOfDatasets ? ', nor has a dataset that it refers to' : ''}`
        const remedy = `add ${member}${isOfDatasets ? ' to it or to its datasets' : ''}`
        return {
          loc: ['system', key, 'privacy_declarations', index, member],
          msg: `Declaration '${declarationName({ system, index })}' of system '${key}' ${lacks}, so no rule that names any matches it: ${remedy}.`,
        }
      })
    })
  })
}
