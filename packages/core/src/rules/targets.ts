import type { ParentLinks } from '../model/hierarchy.js'
import type { Policy, Rule } from '../model/policy.js'
import type { System } from '../model/system.js'
import type { Targets } from './access-plan.js'
import { isCovered, matchesDimension } from './category-match.js'
import { effectiveQualifier } from './declared-categories.js'
import type { Finding } from './findings.js'

/** Parent links of each taxonomy kind, for keys whose parent is not their own prefix. */
export interface TaxonomyLinks {
  readonly dataCategories: ParentLinks
  readonly dataUses: ParentLinks
  readonly dataSubjects: ParentLinks
  readonly dataQualifiers: ParentLinks
}

/** The rules of a policy that hand data over: those that say so, or all of a policy that says nothing (§4). */
export function accessRules(policy: Policy): readonly Rule[] {
  if (policy.rules.every((rule) => rule.action_type === undefined)) return policy.rules
  return policy.rules.filter((rule) => rule.action_type === 'access')
}

/** Whether people have to look up what no connector can reach: always, but where every rule that counts erases (§6). */
export function asksPeople({ rules }: Policy): boolean {
  const counting = rules.filter((rule) => rule.action_type !== undefined)
  return counting.length === 0 || counting.some((rule) => rule.action_type === 'access')
}

/** Which fields a policy's access rules ask for, and what a person should know about that. */
export function accessTargets(
  policy: Policy,
  systems: readonly System[],
  links: TaxonomyLinks,
): { targets: Targets; findings: readonly Finding[] } {
  const rules = accessRules(policy)
  const declarations = declarationsByDataset(systems)
  const findings: Finding[] = []
  if (policy.rules.length === 0) {
    findings.push({
      type: 'policy_without_rules',
      severity: 'warning',
      loc: ['policy', policy.service_key],
      message: `Policy '${policy.service_key}' has no rules, so it asks for nothing: add a rule with data_categories.`,
    })
  }
  const counted = new Map<string, boolean>()
  const datasetCounts = (rule: Rule, dataset: string): boolean => {
    if (!rule.data_uses && !rule.data_subjects) return true
    const key = `${rule.service_key}\0${dataset}`
    const known = counted.get(key)
    if (known !== undefined) return known
    const found = declarations.get(dataset)
    if (!found) {
      findings.push({
        type: 'undeclared_dataset',
        severity: 'info',
        loc: ['policy', policy.service_key, rule.service_key, dataset],
        message: `Rule '${rule.service_key}' names data uses or subjects, but no system declares what dataset '${dataset}' is for: it counts in full.`,
      })
    }
    const counts =
      !found ||
      found.some(
        ({ data_use, data_subjects }) =>
          (!rule.data_uses ||
            matchesDimension(rule.data_uses, data_use === undefined ? [] : [data_use], links.dataUses)) &&
          (!rule.data_subjects || matchesDimension(rule.data_subjects, data_subjects, links.dataSubjects)),
      )
    counted.set(key, counts)
    return counts
  }
  const matching = (dataset: string, categories: readonly string[], qualifiers: readonly string[]) =>
    rules
      .filter(
        (rule) =>
          rule.data_categories !== undefined &&
          matchesDimension(rule.data_categories, categories, links.dataCategories) &&
          (rule.data_qualifier === undefined ||
            isCovered(
              effectiveQualifier(qualifiers, links.dataQualifiers),
              rule.data_qualifier,
              links.dataQualifiers,
            )) &&
          datasetCounts(rule, dataset),
      )
      .map((rule) => rule.service_key)
  // Few things are declared, each for many fields.
  const matched = new Map<string, readonly string[]>()
  const targets: Targets = ({ dataset: { service_key: dataset } }, { categories, qualifiers }) => {
    const key = [dataset, ...categories, '', ...qualifiers].join('\0')
    const known = matched.get(key)
    if (known) return known
    const found = matching(dataset, categories, qualifiers)
    matched.set(key, found)
    return found
  }
  return { targets, findings }
}

function declarationsByDataset(systems: readonly System[]) {
  const result = new Map<string, System['privacy_declarations'][number][]>()
  for (const system of systems) {
    for (const declaration of system.privacy_declarations) {
      for (const dataset of declaration.dataset_references) {
        result.set(dataset, [...(result.get(dataset) ?? []), declaration])
      }
    }
  }
  return result
}
