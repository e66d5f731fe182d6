import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { type OpenService, openService, type ServiceOptions } from '../config/open-service.js'
import { everything } from '../everything.js'
import { type IdentityOptions, identitiesOf } from '../identities.js'
import { give, giveJson, giveLine, say, type Terminal } from '../terminal.js'

interface HoldOptions extends ServiceOptions {
  readonly json?: boolean
}

export interface HoldListOptions extends HoldOptions {
  readonly status?: 'active' | 'released' | 'expired'
}

export interface HoldCreateOptions extends HoldOptions, IdentityOptions {
  readonly reason: string
  readonly reference?: string
  readonly until?: string
}

export interface HoldReleaseOptions extends HoldOptions {
  readonly reason?: string
}

export async function listHolds(terminal: Terminal, { status, ...options }: HoldListOptions): Promise<ExitCode> {
  await using service = await openKept(terminal, options)
  const holds = await everything((page) =>
    service.client.call('GET /api/v1/legal-hold', { query: { ...page, ...(status && { status }) } }),
  )
  if (options.json) giveJson(terminal, { holds })
  else
    for (const { id, status, reason, reference } of holds)
      giveLine(terminal, [id, status, reference ?? '-', reason].join('\t'))
  if (holds.length === 0) say(terminal, 'There is no hold.')
  return exitCodes.fine
}

export async function createHold(terminal: Terminal, options: HoldCreateOptions): Promise<ExitCode> {
  const identities = await identitiesOf(terminal, options)
  await using service = await openKept(terminal, options)
  const { reason, reference, until } = options
  const body = { identities, reason, ...(reference && { reference }), ...(until && { until }) }
  const hold = await service.client.call('POST /api/v1/legal-hold', { body })
  if (options.json) giveJson(terminal, hold)
  else give(terminal, hold.id)
  say(terminal, 'Erasures of this person wait until the hold is released.')
  return exitCodes.fine
}

export async function releaseHold(terminal: Terminal, options: HoldReleaseOptions, id: string): Promise<ExitCode> {
  await using service = await openKept(terminal, options)
  const { reason } = options
  const path = { legal_hold_id: id }
  const hold = await service.client.call('POST /api/v1/legal-hold/{legal_hold_id}/release', {
    path,
    body: { ...(reason && { reason }) },
  })
  if (options.json) giveJson(terminal, hold)
  else give(terminal, `${hold.id}\t${hold.status}`)
  return exitCodes.fine
}

/** A hold in a service that keeps nothing would hold nobody. */
async function openKept(terminal: Terminal, options: ServiceOptions): Promise<OpenService> {
  const service = await openService(terminal, options, { keep: true })
  if (service.keeps) return service
  await service[Symbol.asyncDispose]()
  throw wrongUsage(
    "Holds have to be kept: give the configuration a 'storage', 'blobs' and an 'encryptionKey' under 'service', and run 'habeas push', or name a service with --url.",
  )
}
