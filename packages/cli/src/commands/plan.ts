import { planPage } from '@habeas/map-html'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { isLocal, needConnection, type OpenService, openService, type ServiceOptions } from '../config/open-service.js'
import { linkedDatasets } from '../datasets/linked-datasets.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { type IdentityOptions, identitiesOf } from '../identities.js'
import { policyNamed } from '../policy-named.js'
import type { Terminal } from '../terminal.js'
import { bytesOf, needWritable, writeStream, writeText } from '../write-stream.js'

export interface PlanOptions extends ServiceOptions, IdentityOptions {
  readonly policy: string
  readonly format: 'text' | 'mermaid' | 'html'
  readonly output?: string
  readonly json?: boolean
}

/** Shows what a request would search, deliver and erase, and what not. Nothing is executed. */
export async function plan(terminal: Terminal, options: PlanOptions): Promise<ExitCode> {
  if (options.json && options.format !== 'text') throw wrongUsage('Give --json or --format, not both.')
  const identities = await identitiesOf(terminal, options)
  await needWritable(terminal, '--output', options.output)
  await using service = await openService(terminal, options)
  refuseBroken(terminal, service.applied)
  // a client of a service elsewhere may not be allowed to read policies
  if (isLocal(service)) await policyNamed(service.client, options.policy)
  const body = { policy_key: options.policy, identities }
  if (options.format === 'html') {
    if (!isLocal(service))
      throw wrongUsage('The page of a plan is drawn from files: leave --url out, or choose another --format.')
    const { plan } = await service.privacy.requests.preview({ policyKey: options.policy, identities })
    const names = [...new Set(identities.flatMap((identity) => Object.keys(identity)))]
    const day = new Date().toISOString().slice(0, 10)
    const title = `Plan of ${options.policy} by ${names.join(', ')}, ${day}`
    await writeStream(terminal, bytesOf(planPage({ plan, title })), options.output)
    return await endOf(service, plan.findings)
  }
  const preview = await service.client.call('PUT /api/v1/privacy-request/preview', { body })
  const text = options.json ? JSON.stringify(preview, null, 2) : preview[options.format].trimEnd()
  await writeText(terminal, text, options.output)
  return await endOf(service, preview.plan.findings)
}

/** Rejects where a database does not answer, since the plan was made without its schema. */
async function endOf(service: OpenService, findings: readonly { readonly severity: string }[]): Promise<ExitCode> {
  if (isLocal(service))
    for (const key of Object.keys(service.config.connections ?? {}))
      if ((await linkedDatasets(service, key)).length > 0) await needConnection(service, key)
  return findings.some(({ severity }) => severity === 'error') ? exitCodes.findings : exitCodes.fine
}
