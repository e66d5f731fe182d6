import { type ExitCode, exitCodes } from '../command-end.js'
import { openService, type ServiceOptions } from '../config/open-service.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { type IdentityOptions, identitiesOf } from '../identities.js'
import { give, giveJson, type Terminal } from '../terminal.js'

export interface PlanOptions extends ServiceOptions, IdentityOptions {
  readonly policy: string
  readonly format: 'text' | 'mermaid'
  readonly json?: boolean
}

/** Shows what a request would search, deliver and erase, and what not. Nothing is executed. */
export async function plan(terminal: Terminal, options: PlanOptions): Promise<ExitCode> {
  const identities = await identitiesOf(terminal, options)
  await using service = await openService(terminal, options)
  refuseBroken(service.applied)
  const body = { policy_key: options.policy, identities }
  const preview = await service.client.call('PUT /api/v1/privacy-request/preview', { body })
  if (options.json) giveJson(terminal, preview)
  else give(terminal, preview[options.format])
  return preview.plan.findings.some(({ severity }) => severity === 'error') ? exitCodes.findings : exitCodes.fine
}
