import * as z from 'zod'
import { always, keyed, ownedShape, taxonomyKeySchema, taxonomyKeysSchema, uniqueBy } from './document.js'
import type { InputOf } from './input-of.js'
import { ancestors, type ParentLinks } from './is-covered.js'
import { ruleMaskingSchema } from './masking-strategy.js'
import { type Parsed, parseInput } from './parse-input.js'

const dimensionSchema = z.strictObject(
  {
    matches: z.enum(['ANY', 'ALL', 'NONE', 'OTHER']).default('ANY'),
    values: taxonomyKeysSchema,
  },
  {
    // datasets and systems take a list of keys under the same names
    error: ({ code }) =>
      code === 'invalid_type' ? 'must be an object such as { matches: ANY, values: […] }' : undefined,
  },
)

const formatSchema = z.enum(['json', 'csv', 'html'])

/** The format of a package. */
export type PackageFormat = z.output<typeof formatSchema>

const dimensions = {
  data_categories: dimensionSchema.exactOptional(),
  data_uses: dimensionSchema.exactOptional(),
  data_subjects: dimensionSchema.exactOptional(),
}

const ruleSchema = keyed(
  z
    .strictObject({
      ...ownedShape,
      ...dimensions,
      data_qualifier: taxonomyKeySchema.exactOptional(),
      /** The action of the rule in a privacy request. A rule without one is a prohibition for evaluation. */
      action_type: z.enum(['access', 'erasure']).exactOptional(),
      masking_strategy: ruleMaskingSchema.exactOptional(),
      format: z
        .union([formatSchema, z.array(formatSchema).min(1)], { error: 'must be json, csv or html, or a list of these' })
        .default('json')
        .transform((format) => [...new Set(Array.isArray(format) ? format : [format])]),
    })
    .superRefine((rule, context) => {
      if (typeof rule !== 'object' || rule === null) return
      const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
      if (rule.masking_strategy !== undefined && rule.action_type !== 'erasure') {
        fault(['masking_strategy'], 'belongs to rules with action_type erasure only')
      }
      if (rule.action_type === undefined) return
      if (rule.data_categories === undefined) fault(['data_categories'], 'is required in a rule with an action_type')
      for (const name of Object.keys(dimensions) as (keyof typeof dimensions)[]) {
        const { matches, values } = rule[name] ?? {}
        if (matches === 'NONE' || matches === 'OTHER') {
          fault([name, 'matches'], 'must be ANY or ALL in a rule with an action_type')
        }
        // a list in the place of a dimension has a function of this name
        if (Array.isArray(values) && values.length === 0)
          fault([name, 'values'], 'must not be empty in a rule with an action_type')
      }
    }, always),
)

const policyObject = z.strictObject({
  ...ownedShape,
  /** A number of days, or the law whose limit applies. */
  execution_timeframe: z
    .union([z.int().min(1).max(36_500), z.enum(['gdpr', 'uk_gdpr', 'ccpa', 'lgpd'])], {
      error: 'must be a number of days, or one of gdpr, uk_gdpr, ccpa, lgpd',
    })
    .exactOptional(),
  rules: z.array(ruleSchema).superRefine(uniqueBy('service_key'), always).default([]),
})

const policyWithin = (parents?: ParentLinks) =>
  keyed(policyObject.superRefine((policy, context) => refuseOverlap(policy?.rules, context, parents), always))

/** The specification's Policy. Its rules say what a privacy request does, or what evaluation prohibits. */
export const policySchema = policyWithin()

export type Dimension = z.output<typeof dimensionSchema>
/** A policy as a person writes it. */
export interface PolicyInput extends InputOf<typeof policySchema> {}
export interface Rule extends z.output<typeof ruleSchema> {}
export interface Policy extends z.output<typeof policySchema> {}

/**
 * Reads a policy. With `parents`, the check of overlapping erasure targets covers categories of the host's own
 * taxonomy.
 */
export function parsePolicy(input: unknown, parents?: ParentLinks): Parsed<Policy> {
  return parseInput('policy', parents ? policyWithin(parents) : policySchema, input)
}

/**
 * Refuses two erasure rules that target one category, or a category and its ancestor. Otherwise their order would
 * decide which strategy applies.
 */
function refuseOverlap(
  rules: readonly Rule[] | undefined,
  context: z.core.$RefinementCtx,
  parents?: ParentLinks,
): void {
  const targets = (Array.isArray(rules) ? rules : []).flatMap((rule: Rule | undefined, index) => {
    const values: unknown = rule?.action_type === 'erasure' ? rule.data_categories?.values : undefined
    const texts = Array.isArray(values) ? values.map((value, place) => ({ value, place, index })) : []
    return texts.filter(
      (target): target is { value: string; place: number; index: number } => typeof target.value === 'string',
    )
  })
  const rulesByTarget = new Map<string, Set<number>>()
  for (const { value, index } of targets) {
    rulesByTarget.set(value, (rulesByTarget.get(value) ?? new Set()).add(index))
  }
  for (const { value, place, index } of targets) {
    const taken = [value, ...ancestors(value, parents)].some((key) =>
      [...(rulesByTarget.get(key) ?? [])].some((other) => (key === value ? other < index : other !== index)),
    )
    if (!taken) continue
    const path = ['rules', index, 'data_categories', 'values', place]
    const message = 'is targeted by another erasure rule of this policy, directly or through a category above it'
    context.addIssue({ code: 'custom', path, message, params: { type: 'overlap' } })
  }
}

function defaultPolicy(action: 'access' | 'erasure', name: string, description: string): Policy {
  const key = `default_${action}_policy`
  const owner = { organization_service_key: 'default_organization' }
  return {
    service_key: key,
    name,
    description,
    ...owner,
    rules: [
      {
        service_key: `${key}_rule`,
        name,
        ...owner,
        data_categories: { matches: 'ANY', values: ['user'] },
        action_type: action,
        format: ['json'],
      },
    ],
  }
}

/** The built-in policies. They can be edited but not deleted. */
export const defaultPolicies: readonly Policy[] = [
  defaultPolicy('access', 'Default access policy', 'Hands over everything that is known about the person.'),
  defaultPolicy('erasure', 'Default erasure policy', 'Masks or empties everything that is known about the person.'),
]
