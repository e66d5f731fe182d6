import type { ParentLinks } from '../../model/is-covered.js'
import type { Policy, Rule } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import type { ErasureTargets } from '../erase/field-decisions.js'
import type { Finding } from '../findings/finding.js'
import type { Targets } from '../plan/access-plan.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { appendTo } from '../value/append-to.js'
import { effectiveQualifier } from './declared-fields.js'
import { isCovered, matchesDimension } from './matches-dimension.js'
import { credentialCategories, fieldsWithin, namedCredentials } from './named-credentials.js'

/** Parent links of each taxonomy kind, for keys whose parent is not their own prefix. */
export interface TaxonomyLinks {
  readonly dataCategories: ParentLinks
  readonly dataUses: ParentLinks
  readonly dataSubjects: ParentLinks
  readonly dataQualifiers: ParentLinks
}

/** The rules of a policy that hand data over: those that say so, or all of a policy that says nothing. */
export function accessRules(policy: Policy): readonly Rule[] {
  if (policy.rules.every((rule) => rule.action_type === undefined)) return policy.rules
  return policy.rules.filter((rule) => rule.action_type === 'access')
}

/** The rules of a policy that erase. */
function erasureRules(policy: Policy): readonly Rule[] {
  return policy.rules.filter((rule) => rule.action_type === 'erasure')
}

/** Whether people have to look up what no connector can reach: always, but where every rule that counts erases. */
export function needsManualData({ rules }: Policy): boolean {
  const counting = rules.filter((rule) => rule.action_type !== undefined)
  return counting.length === 0 || counting.some((rule) => rule.action_type === 'access')
}

/**
 * Which fields a policy's access rules ask for, and what a person should know about that. Credentials are handed over only by
 * a rule that names exactly what they are: whoever asks for all that is personal does not ask for a way to log in.
 */
export function accessTargets(
  policy: Policy,
  systems: readonly System[],
  links: TaxonomyLinks,
): { targets: Targets; findings: readonly Finding[] } {
  const { matching, findings } = ruleMatcher(policy, accessRules(policy), systems, links)
  // Few things are declared, each for many fields.
  const matched = new Map<string, readonly Rule[]>()
  const asking = ({ dataset: { service_key: dataset } }: CollectionNode, { categories, qualifiers }: FieldNode) => {
    const key = [dataset, ...categories, '', ...qualifiers].join('\0')
    const found = matched.get(key) ?? matching(dataset, categories, qualifiers)
    matched.set(key, found)
    return found
  }
  const withheld = (node: CollectionNode, field: FieldNode) => {
    const credentials = credentialCategories(field, links.dataCategories)
    return credentials.length === 0 ? [] : asking(node, field).filter((rule) => !names(rule, credentials))
  }
  const reported = new Set<string>()
  const targets: Targets = (node, field) => {
    const rules = asking(node, field)
    if (rules.length === 0) return []
    const own = withheld(node, field)
    if (own.length > 0 && !reported.has(`${node.address}.${field.name}`))
      findings.push(withheldCredentials(node, field))
    reported.add(`${node.address}.${field.name}`)
    // What is handed over whole would bring along what lies in it: its other members are asked for by themselves.
    const left = new Set([own, ...fieldsWithin(node, field).map((each) => withheld(node, each))].flat())
    return rules.filter((rule) => !left.has(rule)).map((rule) => rule.service_key)
  }
  if (policy.rules.length > 0) return { targets, findings }
  findings.push({
    type: 'policy_without_rules',
    severity: 'warning',
    loc: ['policy', policy.service_key],
    message: `Policy '${policy.service_key}' has no rules, so it asks for nothing: add a rule with data_categories.`,
  })
  return { targets, findings }
}

function names({ data_categories }: Rule, categories: readonly string[]): boolean {
  return categories.some((category) => data_categories?.values.includes(category))
}

function withheldCredentials(node: CollectionNode, field: FieldNode): Finding {
  const [category] = credentialCategories(field)
  const declared = field.categories.includes(category as string)
  const otherwise = declared ? '' : `; or, if it holds none, say 'reviewed' of the field`
  return {
    type: 'credentials_withheld',
    severity: 'info',
    loc: [node.dataset.service_key, node.collection.name, field.name],
    message: `'${node.address}.${field.name}' holds credentials, which are not delivered: name '${category}' itself in a rule where they should be${otherwise}.`,
  }
}

/**
 * Which fields a policy's erasure rules ask for, by the first of them that does; undefined: it has none. What is named like
 * credentials, and has no category that says otherwise, is asked for as such.
 */
export function erasureTargets(
  policy: Policy,
  systems: readonly System[],
  links: TaxonomyLinks,
): { targets: ErasureTargets; findings: readonly Finding[] } | undefined {
  const rules = erasureRules(policy)
  if (rules.length === 0) return undefined
  const { matching, findings } = ruleMatcher(policy, rules, systems, links)
  const targets: ErasureTargets = ({ dataset: { service_key: dataset } }, each) => {
    const { field, categories, qualifiers } = each
    const rule = matching(dataset, categories, qualifiers)[0]
    if (rule) {
      const own = matching(dataset, field.data_categories, qualifiers).length > 0
      return { rule: rule.service_key, strategy: rule.masking_strategy, own }
    }
    const inferred = namedCredentials(each)
    const taken = inferred.length > 0 ? matching(dataset, inferred, qualifiers)[0] : undefined
    return taken && { rule: taken.service_key, strategy: taken.masking_strategy, own: true, inferred }
  }
  return { targets, findings }
}

/** Tells which rules match what a field declares; findings gather while it is asked. */
function ruleMatcher(policy: Policy, rules: readonly Rule[], systems: readonly System[], links: TaxonomyLinks) {
  const declarations = declarationsByDataset(systems)
  const findings: Finding[] = []
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
    rules.filter(
      (rule) =>
        rule.data_categories !== undefined &&
        matchesDimension(rule.data_categories, categories, links.dataCategories) &&
        (rule.data_qualifier === undefined ||
          isCovered(effectiveQualifier(qualifiers, links.dataQualifiers), rule.data_qualifier, links.dataQualifiers)) &&
        datasetCounts(rule, dataset),
    )
  return { matching, findings }
}

function declarationsByDataset(systems: readonly System[]) {
  const result = new Map<string, System['privacy_declarations'][number][]>()
  for (const system of systems) {
    for (const declaration of system.privacy_declarations) {
      for (const dataset of declaration.dataset_references) appendTo(result, dataset, declaration)
    }
  }
  return result
}
