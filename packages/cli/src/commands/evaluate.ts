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
  const { system: systems, registry: registries } = options
  const body = { ...(systems && { systems }), ...(registries && { registries }) }
  const evaluations = []
  for (const key of keys.length > 0 ? keys : await prohibiting(service))
    evaluations.push(
      await service.client.call('POST /api/v1/policy/{policy_key}/evaluate', { path: { policy_key: key }, body }),
    )
  if (options.json) giveJson(terminal, { evaluations })
  else
    for (const { policy_key: key, status, violations, warnings } of evaluations) {
      give(terminal, `${status} ${key}`)
      for (const { detail } of violations) giveLine(terminal, `  ${detail}`)
      for (const { msg } of warnings) say(terminal, `  ${msg}`)
    }
  if (evaluations.length === 0)
    say(terminal, 'No policy prohibits anything: a rule without action_type is a prohibition.')
  return evaluations.some(({ status }) => status === 'FAIL') ? exitCodes.findings : exitCodes.fine
}

async function prohibiting({ client }: OpenService): Promise<string[]> {
  const policies = await everything((query) => client.call('GET /api/v1/policy', { query }))
  const isProhibition = ({ action_type }: { readonly action_type?: string | null }) => !action_type
  return policies.flatMap(({ service_key: key, rules }) => (rules.some(isProhibition) ? [key] : []))
}
