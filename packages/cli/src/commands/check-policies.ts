import { isPrivacyError } from '@habeas/core'
import type { LocalService } from '../config/open-service.js'
import { everything } from '../everything.js'
import { fewNames } from '../few-names.js'
import type { Problem } from '../problems.js'

interface FoundByPolicies {
  readonly problems: readonly Problem[]
  /** What the policies could say nothing about. It fails no check, and a prohibition may rest on it. */
  readonly notes: readonly string[]
}

/** Every policy that prohibits something is evaluated over all systems. */
export async function foundByPolicies({ privacy }: LocalService): Promise<FoundByPolicies> {
  const problems: Problem[] = []
  const warned = new Map<string, string[]>()
  for (const { service_key: key, rules } of await everything((page) => privacy.policies.list(page))) {
    if (!rules.some(({ action_type }) => action_type === undefined)) continue
    const { violations, warnings } = await evaluated(privacy, key)
    problems.push(...violations)
    for (const msg of warnings) warned.set(msg, [...(warned.get(msg) ?? []), key])
  }
  return { problems, notes: [...warned].map(([msg, keys]) => noteOf(keys, msg)) }
}

/** What several policies warn of is said once. */
const noteOf = (keys: readonly string[], msg: string) =>
  `${keys.length === 1 ? 'policy' : 'policies'} ${fewNames(keys, 3)}: ${msg}`

/** What a policy finds. One that cannot be evaluated is a problem itself, so that the others are told as well. */
async function evaluated(
  { policies }: LocalService['privacy'],
  key: string,
): Promise<{ readonly violations: readonly Problem[]; readonly warnings: readonly string[] }> {
  try {
    const { violations, warnings } = await policies.evaluate(key)
    return {
      violations: violations.map(({ system, declaration, detail }) => ({
        of: 'policy',
        place: declaration === undefined ? system : `${system}, ${declaration}`,
        message: detail,
      })),
      warnings: warnings.map(({ msg }) => msg),
    }
  } catch (error) {
    if (!isPrivacyError(error, 'conflict')) throw error
    return { violations: [{ of: 'policy', place: key, message: error.message }], warnings: [] }
  }
}
