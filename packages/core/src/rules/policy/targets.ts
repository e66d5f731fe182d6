import type { ParentLinks } from '../../model/is-covered.js'
import type { Policy, Rule } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import type { ErasureTargets } from '../erase/field-decisions.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import type { Targets } from '../plan/targeted.js'
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

/** The access rules of a policy, or all its rules where none has an action. */
export function accessRules(policy: Policy): readonly Rule[] {
  if (policy.rules.every((rule) => rule.action_type === undefined)) return policy.rules
  return policy.rules.filter((rule) => rule.action_type === 'access')
}

/** The erasure rules of a policy. */
function erasureRules(policy: Policy): readonly Rule[] {
  return policy.rules.filter((rule) => rule.action_type === 'erasure')
}

/** Whether a request needs data that people look up by hand. It does unless every rule with an action erases. */
export function needsManualData({ rules }: Policy): boolean {
  const counting = rules.filter((rule) => rule.action_type !== undefined)
  return counting.length === 0 || counting.some((rule) => rule.action_type === 'access')
}

/**
 * The fields that a policy's access rules ask for, with findings. Credentials are delivered only by a rule that names
 * their exact category: a rule for all personal data does not ask for passwords.
 */
export function accessTargets(
  policy: Policy,
  systems: readonly System[],
  links: TaxonomyLinks,
): { targets: Targets; findings: readonly Finding[] } {
  const { matching, findings } = ruleMatcher(policy, accessRules(policy), systems, links)
  // A cache, since few combinations of categories occur, each in many fields.
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
    // An object that is delivered whole would include its credentials. Its other members are asked for separately.
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

/** A rule that excludes a category does not ask for it. */
function names({ data_categories }: Rule, categories: readonly string[]): boolean {
  if (data_categories?.matches !== 'ANY' && data_categories?.matches !== 'ALL') return false
  return categories.some((category) => data_categories.values.includes(category))
}

function withheldCredentials(node: CollectionNode, field: FieldNode): Finding {
  const [category] = credentialCategories(field)
  const declared = field.categories.includes(category as string)
  const otherwise = declared ? '' : `; or say 'reviewed' on the field if it holds none`
  return {
    type: 'credentials_withheld',
    severity: 'info',
    loc: [node.dataset.service_key, node.collection.name, field.name],
    message: `'${node.address}.${field.name}' holds credentials, which are not delivered: name '${category}' itself in a rule that should deliver them${otherwise}.`,
  }
}

/**
 * The fields that a policy's erasure rules ask for, each by the first rule that matches. Undefined where the policy has
 * no erasure rule. A field without a category that is named like credentials counts as credentials.
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

/** Finds the rules that match the declarations of a field, and collects findings meanwhile. */
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
        message: `Rule '${rule.service_key}' names data uses or subjects, but no system declares the purpose of dataset '${dataset}': the rule applies to all of it.`,
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
