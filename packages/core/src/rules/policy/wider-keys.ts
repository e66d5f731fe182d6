import type { Warning } from '../../model/clean-input.js'
import { isCovered, type ParentLinks } from '../../model/is-covered.js'
import type { Dimension, Policy } from '../../model/policy.js'
import { listedKeys } from '../value/listed.js'
import { effectiveQualifier } from './declared-fields.js'
import { type DeclaredPlace, type PlaceGroup, placeText } from './declared-places.js'
import { matchesDimension } from './matches-dimension.js'
import { type Prohibition, prohibitionsOf } from './prohibitions.js'
import type { TaxonomyLinks } from './targets.js'
import type { DeclarationOf } from './violation-finder.js'
import { declarationName } from './violations.js'

/** A declared key above values of a rule. */
interface WiderKey {
  readonly key: string
  readonly values: readonly string[]
}

/**
 * The keys for want of which a dimension does not match, though it may: empty where it matches, undefined where it cannot.
 * NONE and OTHER match a wider key, as no value covers it, so they never pass because of one.
 */
export function widerKeys(
  dimension: Dimension,
  declared: readonly string[],
  parents?: ParentLinks,
): readonly WiderKey[] | undefined {
  if (matchesDimension(dimension, declared, parents)) return []
  const { matches, values } = dimension
  if (matches !== 'ANY' && matches !== 'ALL') return undefined
  const met = (value: string) => declared.some((key) => isCovered(key, value, parents))
  const open = values.filter((value) => !met(value))
  const wider = [...new Set(declared)].flatMap((key) => {
    const above = open.filter((value) => isCovered(value, key, parents))
    return above.length > 0 ? [{ key, values: above }] : []
  })
  const isPossible = matches === 'ANY' || open.every((value) => wider.some((each) => each.values.includes(value)))
  return wider.length > 0 && isPossible ? wider : undefined
}

/** Where a key was met: in the declaration, or in a place of a dataset. */
type Origin = { readonly text: string; readonly loc: readonly (string | number)[] } | undefined

/** What is known of one rule and a declaration that it may be about. */
interface Held {
  readonly uses: readonly WiderKey[]
  readonly subjects: readonly WiderKey[]
  /** The declared categories at, above and below those of the rule, and where each was met first. */
  readonly categories: Map<string, Origin>
  /** Whether the categories of one place match, or the rule asks for none. */
  isMet: boolean
}

/**
 * Finds declarations that a rule passes over only because they, or datasets that they refer to, name a wider key than it
 * prohibits. Matching cannot decide there. A qualifier has to match: a less identifiable level does not include the others.
 */
export function widerKeyFinder(policy: Policy, links: TaxonomyLinks) {
  const comparisons = prohibitionsOf(policy).map((prohibition) => comparison(prohibition, links))
  return {
    addDeclaration(declaration: DeclarationOf): void {
      for (const { addDeclaration } of comparisons) addDeclaration(declaration)
    },
    addDataset(declaration: DeclarationOf, dataset: string, groups: readonly PlaceGroup[]): void {
      for (const { addDataset } of comparisons) addDataset(declaration, dataset, groups)
    },
    /** Once all of them were added. */
    warnings: (): Warning[] => comparisons.flatMap(({ warnings }) => warnings()),
  }
}

export type WiderKeyFinder = ReturnType<typeof widerKeyFinder>

function comparison(prohibition: Prohibition, links: TaxonomyLinks) {
  const { data_categories: asked, data_uses, data_subjects, data_qualifier } = prohibition.rule
  const parents = links.dataCategories
  // What a rule cannot be about is kept as well, so that it is compared once.
  const found = new Map<DeclarationOf, Held | undefined>()
  // Few combinations of categories occur, each in many places.
  const remembered = new Map<string, boolean>()
  const matchesAlone = (categories: readonly string[], signature: string): boolean => {
    if (asked === undefined) return true
    const matches = remembered.get(signature) ?? matchesDimension(asked, categories, parents)
    remembered.set(signature, matches)
    return matches
  }
  const qualifierMatches = (qualifier: string) =>
    data_qualifier === undefined || isCovered(qualifier, data_qualifier, links.dataQualifiers)
  const isAskedFor = (key: string) =>
    asked?.values.some((value) => isCovered(value, key, parents) || isCovered(key, value, parents))

  function comparedWith({ system, index }: DeclarationOf): Held | undefined {
    const { data_use: use, data_subjects: about = [] } = system.privacy_declarations[index] ?? {}
    const uses = data_uses ? widerKeys(data_uses, use === undefined ? [] : [use], links.dataUses) : []
    const subjects = data_subjects ? widerKeys(data_subjects, about, links.dataSubjects) : []
    return uses && subjects && { uses, subjects, categories: new Map(), isMet: false }
  }

  function heldOf(declaration: DeclarationOf): Held | undefined {
    if (!found.has(declaration)) found.set(declaration, comparedWith(declaration))
    return found.get(declaration)
  }

  function add(held: Held, keys: readonly string[], origin: () => Origin): void {
    for (const key of keys) if (!held.categories.has(key) && isAskedFor(key)) held.categories.set(key, origin())
  }

  return {
    addDeclaration(declaration: DeclarationOf): void {
      const held = heldOf(declaration)
      const declared = declaration.system.privacy_declarations[declaration.index]
      if (!held || !declared) return
      const { data_categories: categories, data_qualifier: own, dataset_references: datasets } = declared
      // A declaration that leaves it to its datasets which data is used says nothing about how identifiable it is.
      const isOfDatasets = categories.length === 0 && own === undefined && datasets.length > 0
      if (isOfDatasets && data_qualifier !== undefined) return
      if (!qualifierMatches(effectiveQualifier(own === undefined ? [] : [own]))) return
      held.isMet ||= matchesAlone(categories, categories.join('\0'))
      add(held, categories, () => undefined)
    },

    addDataset(declaration: DeclarationOf, dataset: string, groups: readonly PlaceGroup[]): void {
      if (asked === undefined && data_qualifier === undefined) return
      const held = heldOf(declaration)
      if (!held) return
      for (const { categories, signature, qualifier, places } of groups) {
        if (held.isMet) return
        if (!qualifierMatches(qualifier)) continue
        held.isMet = matchesAlone(categories, signature)
        add(held, closest(categories, parents), () => originIn(dataset, places))
      }
    },

    warnings(): Warning[] {
      return [...found].flatMap(([declaration, held]) => {
        if (!held) return []
        const { uses, subjects, categories, isMet } = held
        const wider = isMet || asked === undefined ? [] : widerKeys(asked, [...categories.keys()], parents)
        // without a place whose data the rule may be about, nothing is left to decide
        if (!wider || (asked === undefined && !isMet)) return []
        const told = { prohibition, declaration }
        return [
          ...wider.map((each) => warningOf({ ...told, member: 'data_categories' }, each, categories.get(each.key))),
          ...uses.map((each) => warningOf({ ...told, member: 'data_use' }, each)),
          ...subjects.map((each) => warningOf({ ...told, member: 'data_subjects' }, each)),
        ]
      })
    },
  }
}

/** What is said around a field is said more closely by the field itself. */
function closest(categories: readonly string[], parents: ParentLinks): readonly string[] {
  const isBelow = (key: string, other: string) => key !== other && isCovered(key, other, parents)
  return categories.filter((key) => !categories.some((other) => isBelow(other, key)))
}

function originIn(dataset: string, [place]: readonly DeclaredPlace[]): Origin {
  return { text: placeText(dataset, place ?? {}), loc: ['dataset', dataset, ...(place?.path ?? [])] }
}

interface Told {
  readonly prohibition: Prohibition
  readonly declaration: DeclarationOf
  readonly member: 'data_categories' | 'data_use' | 'data_subjects'
}

function warningOf({ prohibition, declaration, member }: Told, { key, values }: WiderKey, origin?: Origin): Warning {
  const { service_key: system } = declaration.system
  const { policy, rule } = prohibition
  const says = origin ? `uses '${key}' in ${origin.text}` : `declares '${key}'`
  const named = `Declaration '${declarationName(declaration)}' of system '${system}' ${says}`
  const includes = `which includes the prohibited ${listedKeys(values)} of rule '${rule.service_key}' of policy '${policy}'`
  const declared = ['system', system, 'privacy_declarations', declaration.index]
  return {
    loc: [...(origin?.loc ?? declared), member],
    msg: `${named}, ${includes}: declare the narrower ones${origin ? ' there' : ''}, so that the policy can decide.`,
  }
}
