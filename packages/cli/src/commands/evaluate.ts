import { type ExitCode, exitCodes } from '../command-end.js'
import { type OpenService, openService, type ServiceOptions } from '../config/open-service.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { everything } from '../everything.js'
import { give, giveJson, giveLine, say, type Terminal } from '../terminal.js'

export interface EvaluateOptions extends ServiceOptions {
  readonly system?: readonly string[]
  readonly registry?: readonly string[]
  readonly json?: boolean
}

/** Compares what systems declare with the prohibitions of policies. Without keys: with all that prohibit something. */
export async function evaluate(
  terminal: Terminal,
  options: EvaluateOptions,
  keys: readonly string[],
): Promise<ExitCode> {
  await using service = await openService(terminal, options, { asks: [] })
  refuseBroken(terminal, service.applied)
  const policies = keys.length > 0 ? keys : await prohibiting(service)
  if (policies.length === 0) await needSelected(service, options)
  const evaluations: Evaluated[] = []
  for (const key of policies) evaluations.push(await evaluated(service, options, key))
  if (options.json) giveJson(terminal, { evaluations })
  else
    for (const evaluation of evaluations) {
      give(terminal, `${verdictOf(evaluation)} ${evaluation.policy_key}`)
      for (const { detail } of evaluation.violations) giveLine(terminal, `  ${detail}`)
      for (const { msg } of evaluation.warnings) say(terminal, `  ${msg}`)
    }
  if (evaluations.length === 0)
    say(terminal, 'No policy prohibits anything: a rule without action_type is a prohibition.')
  const partial = evaluations.filter(isPartial)
  if (partial.length > 0)
    say(
      terminal,
      `${partial.every(isEmpty) ? 'Nothing was evaluated' : 'Not all that was asked for was evaluated'}, so a policy may be violated all the same.`,
    )
  return evaluations.every((each) => verdictOf(each) === 'PASS') ? exitCodes.fine : exitCodes.findings
}

type Evaluated = Awaited<ReturnType<typeof evaluated>>

function evaluated({ client }: OpenService, { system: systems, registry: registries }: EvaluateOptions, key: string) {
  const body = { ...(systems && { systems }), ...(registries && { registries }) }
  return client.call('POST /api/v1/policy/{policy_key}/evaluate', { path: { policy_key: key }, body })
}

const isEmpty = ({ evaluated: { systems } }: Evaluated) => systems.length === 0

/**
 * Whether no system was evaluated, or none of a registry that was asked for. Otherwise a system that moves to another registry
 * would turn a violation into a success.
 */
const isPartial = (evaluation: Evaluated) =>
  isEmpty(evaluation) || evaluation.warnings.some(({ loc: [kind] }) => kind === 'registry')

const verdictOf = (evaluation: Evaluated) =>
  evaluation.status === 'PASS' && isPartial(evaluation) ? 'INCOMPLETE' : evaluation.status

/** Rejects where nothing has a key that was given. An evaluation does so itself, and here there is none. */
async function needSelected({ client }: OpenService, { system = [], registry = [] }: EvaluateOptions): Promise<void> {
  for (const key of system) await client.call('GET /api/v1/system/{service_key}', { path: { service_key: key } })
  for (const key of registry) await client.call('GET /api/v1/registry/{service_key}', { path: { service_key: key } })
}

async function prohibiting({ client }: OpenService): Promise<string[]> {
  const policies = await everything((query) => client.call('GET /api/v1/policy', { query }))
  const isProhibition = ({ action_type }: { readonly action_type?: string | null }) => !action_type
  return policies.flatMap(({ service_key: key, rules }) => (rules.some(isProhibition) ? [key] : []))
}
