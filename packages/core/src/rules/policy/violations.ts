import type { Violation } from '../../model/evaluation.js'
import { listedKeys } from '../value/listed.js'
import { type DeclaredPlace, placeText } from './declared-places.js'
import type { DeclarationOf, HeldTogether, ProhibitedUse } from './violation-finder.js'

/** A violation, and where it stands in its documents. */
export interface PlacedViolation {
  readonly violation: Violation
  readonly use: ProhibitedUse
  readonly place?: DeclaredPlace
}

/** The violations of a prohibited use: one for each place, at most so many. */
export function violationsOf(use: ProhibitedUse, most: number): PlacedViolation[] {
  const places = use.places?.slice(0, most) ?? [undefined]
  return places.map((place) => ({ violation: violationAt(use, place), use, ...(place && { place }) }))
}

/** How many violations a prohibited use is. */
export function countOf({ places }: ProhibitedUse): number {
  return places?.length ?? 1
}

/** The name of a declaration, or its position where no name tells it apart. */
export function declarationName({ system: { privacy_declarations: all }, index }: DeclarationOf): string {
  const name = all[index]?.name
  const isAlone =
    name !== undefined && name.trim() !== '' && all.every((each, at) => each.name !== name || at === index)
  return isAlone ? name : `privacy_declarations[${index}]`
}

function violationAt(use: ProhibitedUse, place: DeclaredPlace | undefined): Violation {
  const { policy, rule, declaration, dataset, dataCategories, dataUses, dataSubjects, dataQualifier } = use
  const { collection, field } = place ?? {}
  return {
    policy,
    rule: rule.service_key,
    system: declaration.system.service_key,
    declaration: declarationName(declaration),
    ...(dataset !== undefined && { dataset }),
    ...(collection !== undefined && { collection }),
    ...(field !== undefined && { field }),
    dataCategories,
    dataUses,
    dataSubjects,
    ...(dataQualifier !== undefined && { dataQualifier }),
    detail: detailOf(use, place),
  }
}

function detailOf(use: ProhibitedUse, place: DeclaredPlace | undefined): string {
  const {
    policy,
    rule,
    declaration,
    dataset = '',
    together,
    dataCategories,
    dataUses,
    dataSubjects,
    dataQualifier,
  } = use
  const held = place && placeText(dataset, place)
  const named = `declaration '${declarationName(declaration)}' of system '${declaration.system.service_key}'`
  const met = [
    dataCategories.length > 0 ? listedKeys(dataCategories) : 'data',
    ...(dataQualifier === undefined ? [] : [`as '${dataQualifier}'`]),
    ...(dataUses.length === 0 ? [] : [`for ${listedKeys(dataUses)}`]),
    ...(dataSubjects.length === 0 ? [] : [`about ${listedKeys(dataSubjects)}`]),
  ].join(' ')
  const where = held ?? (together && togetherText(together))
  const what = where === undefined ? `${capital(named)} uses ${met}` : `${capital(named)} uses ${met} in ${where}`
  const there = where === undefined ? '' : ' there'
  const changes = [
    ...(held === undefined ? [] : [`take dataset '${dataset}' out of its dataset_references`]),
    ...(together === undefined
      ? []
      : [`take ${together.datasets.length === 1 ? 'it' : 'one of them'} out of its dataset_references`]),
    ...(dataCategories.length === 0 ? [] : [`correct the data_categories${there}`]),
    ...(dataQualifier === undefined ? [] : [`say how far the data is deidentified${there}`]),
    ...(dataUses.length === 0 ? [] : ['change its data_use']),
    ...(dataSubjects.length === 0 ? [] : ['change its data_subjects']),
  ]
  const remedies = changes.length === 0 ? 'change the rule' : `${changes.join(', ')}, or change the rule`
  return `${what}, which rule '${rule.service_key}' of policy '${policy}' prohibits: ${remedies}.`
}

function togetherText({ isDeclared, datasets }: HeldTogether): string {
  const named = `${datasets.length === 1 ? 'dataset' : 'datasets'} ${listedKeys(datasets)}`
  if (isDeclared) return `its data_categories and ${named} together`
  return datasets.length === 1 ? `fields of ${named} together` : `${named} together`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
