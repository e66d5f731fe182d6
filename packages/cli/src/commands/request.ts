import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { PrivacyClient } from '@habeas/client'
import type { Evidence } from '@habeas/core'
import { CommandFailure, type ExitCode, exitCodes, failed, wrongUsage } from '../command-end.js'
import { isLocal, needConnection, type OpenService, openService, type ServiceOptions } from '../config/open-service.js'
import { unpushed } from '../config/pushed.js'
import { linkedDatasets } from '../datasets/linked-datasets.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { fewNames } from '../few-names.js'
import { type IdentityOptions, identitiesOf } from '../identities.js'
import { interruption } from '../interruption.js'
import { policyNamed } from '../policy-named.js'
import { progressBar } from '../progress-bar.js'
import { askText } from '../prompts.js'
import { give, giveJson, giveLine, say, type Terminal } from '../terminal.js'
import { isStandardOutput, needWritable, writeStream } from '../write-stream.js'
import { type AcceptanceOptions, accepted, acceptingOptions, misnamed } from './request-acceptance.js'
import { failureText } from './request-failure.js'
import { gapLines } from './request-gaps.js'

export interface RequestOptions extends ServiceOptions {
  readonly json?: boolean
  /** Where the package goes. Default: the name that the service gives it. */
  readonly output?: string
  /** Where the signed evidence goes. */
  readonly evidence?: string
}

export interface SubmitOptions extends RequestOptions, IdentityOptions, AcceptanceOptions {
  readonly policy: string
  readonly externalId?: string
  /** False: do not wait for the end. */
  readonly wait?: boolean
  readonly yes?: boolean
}

type Shown = Awaited<ReturnType<typeof read>>

/** Takes a request, waits for its end, and hands over what it found or the receipt of what it erased. */
export async function submitRequest(terminal: Terminal, options: SubmitOptions): Promise<ExitCode> {
  const identities = await identitiesOf(terminal, options)
  // what a request has done cannot be asked for again
  for (const name of ['output', 'evidence'] as const) await needWritable(terminal, `--${name}`, options[name])
  await using service = await openService(terminal, options, { keep: true })
  refuseBroken(terminal, service.applied)
  const { client } = service
  const wait = options.wait ?? true
  if (!service.keeps && !wait)
    throw wrongUsage(
      "Without a 'storage' in the configuration the request would be gone with this command: leave --no-wait out.",
    )
  const body = { policy_key: options.policy, identities, ...accepted(options) }
  const missing = isLocal(service) && service.keeps ? await unpushed(terminal, options, service) : []
  if (missing.includes(`policy '${options.policy}'`)) throw notPushed(missing)
  const { rules } = await policyNamed(client, options.policy)
  const erases = rules.some(({ action_type }) => action_type === 'erasure')
  if (!erases && options.evidence !== undefined)
    throw wrongUsage(`--evidence: only an erasure has evidence, and '${options.policy}' erases nothing.`)
  if (erases && missing.length > 0) throw notPushed(missing)
  if (missing.length > 0)
    say(
      terminal,
      `The request uses what was pushed last: ${fewNames(missing, 3)} has changed since. 'habeas push' sends it.`,
    )
  await needConnections(service)
  const { text, plan } = await client.call('PUT /api/v1/privacy-request/preview', { body })
  // an access goes on by a guess of the field that was meant
  for (const { type, message } of plan.findings) if (guesses.has(type)) say(terminal, message)
  if (erases && !options.yes) await confirmed(terminal, identities, text)
  const externalId = options.externalId
  const submitted = await client.call('POST /api/v1/privacy-request', {
    body: { ...body, ...(externalId && { external_id: externalId }) },
  })
  const { id } = submitted
  if ('warnings' in submitted) for (const { msg } of submitted.warnings) say(terminal, msg)
  say(terminal, `Request ${id}`)
  if (!wait) {
    if (options.json) giveJson(terminal, await read(client, id))
    else give(terminal, id)
    return exitCodes.fine
  }
  return await ended(terminal, service, id, options, plan.collections.length)
}

const guesses = new Set(['identity_inferred', 'identity_doubted', 'undeclared_identity', 'unknown_identity'])

/** An erasure that acts on something else than the files say might erase what a person has just taken out of it. */
const notPushed = (missing: readonly string[]) =>
  wrongUsage(
    `The storage does not hold what the configuration says of ${fewNames(missing, 3)}: 'habeas push' sends it, and 'habeas pull' writes what the storage holds into the files.`,
  )

/** A request that ends with its command would try again for minutes, with nobody else to follow it. */
async function needConnections(service: OpenService): Promise<void> {
  if (service.keeps || !isLocal(service)) return
  for (const key of Object.keys(service.config.connections ?? {}))
    if ((await linkedDatasets(service, key)).length > 0) await needConnection(service, key)
}

/** What cannot be undone is confirmed with the person's own value, or with --yes. */
async function confirmed(terminal: Terminal, identities: readonly object[], text: string): Promise<void> {
  if (!terminal.asks)
    throw wrongUsage(
      "This erases data for good: add --yes to say so where nobody can be asked. 'habeas plan' shows what it does.",
    )
  say(terminal, text)
  const [value] = Object.values(identities[0] ?? {}).map(String)
  const typed = await askText(terminal, {
    message: 'This erases data for good. Type the first value of the identity again',
  })
  if (typed.trim() !== value) throw wrongUsage('Nothing was erased: the value is another one.')
}

/** Follows a request to its end. */
export async function watchRequest(terminal: Terminal, options: RequestOptions, id: string): Promise<ExitCode> {
  await using service = await openService(terminal, options, { keep: true })
  needsKept(service)
  return await ended(terminal, service, id, options, undefined)
}

/** Prints what an erasure did. */
export async function showReceipt(terminal: Terminal, options: RequestOptions, id: string): Promise<ExitCode> {
  await using service = await openService(terminal, options, { keep: true })
  needsKept(service)
  if (options.json) giveJson(terminal, await receiptOf(service.client, id))
  else give(terminal, await receiptText(service.client, id))
  await writeEvidence(terminal, service.client, id, options)
  return exitCodes.fine
}

function needsKept({ keeps }: OpenService): void {
  if (!keeps)
    throw wrongUsage(
      "The configuration has no 'storage', so no request outlives its command: give it one under 'service', or name a service with --url.",
    )
}

const read = (client: PrivacyClient, id: string) =>
  client.call('GET /api/v1/privacy-request/{privacy_request_id}', { path: { privacy_request_id: id } })

const final = ['complete', 'error', 'canceled', 'denied']
const needsPeople = ['paused', 'requires_input', 'identity_unverified']

/** What a request that ended without its aim comes to, where the service says no more. */
const unsaid = (status: Shown['status']): string =>
  final.includes(status) ? 'nothing was changed, and nothing is handed over' : 'somebody has to approve or answer it'

/** How long a request may be pending before somebody has to approve it, or no worker runs. */
const pendingMs = 10_000

/** Whether nothing more happens by itself. */
const isLeft = ({ status }: Shown, waitedMs: number) =>
  final.includes(status) || needsPeople.includes(status) || (status === 'pending' && waitedMs > pendingMs)

async function ended(
  terminal: Terminal,
  service: OpenService,
  id: string,
  options: RequestOptions & AcceptanceOptions,
  collections: number | undefined,
): Promise<ExitCode> {
  const { client } = service
  const request = await watched(terminal, service, id, collections)
  const { status, failure, action_required_details: action } = request
  const hasReceipt = status === 'complete' && request.results?.some(({ action_type }) => action_type === 'erasure')
  if (options.json) giveJson(terminal, { ...request, ...(hasReceipt && { receipt: await receiptOf(client, id) }) })
  // the receipt says what was erased, and what was not
  else for (const line of outcomes(request, { isReceiptGiven: hasReceipt === true })) giveLine(terminal, line)
  for (const line of await misnamed(client, id, options)) say(terminal, line)
  if (status !== 'complete') {
    const why = failureText(failure ?? action?.message ?? unsaid(status), { id, status, keeps: service.keeps })
    say(terminal, `${status}: ${why}${acceptingOptions(action?.accept)}`)
    return exitCodes.findings
  }
  if (foundNothing(request)) say(terminal, nothingFound)
  for (const line of gapLines(request.coverage)) say(terminal, line)
  if (request.incomplete)
    say(terminal, 'It may not be everything: the package names what is undecided or was not searched.')
  if (request.packages.length > 0) {
    const path = { privacy_request_id: id }
    const { name, stream } = await client.stream('GET /api/v1/privacy-request/{privacy_request_id}/download', { path })
    await writeStream(terminal, stream, options.output ?? packageName(id, name))
  }
  if (hasReceipt && !options.json) give(terminal, await receiptText(client, id))
  if (hasReceipt) await writeEvidence(terminal, client, id, options)
  else if (options.evidence !== undefined) say(terminal, 'No evidence is written: only an erasure has any.')
  say(terminal, status)
  return exitCodes.fine
}

/** A file for a package. A service elsewhere could name one that is needed here, so that its name has to be of a request. */
function packageName(id: string, name: string | undefined): string {
  const found = [name, `${id}.json`].find((each) => each !== undefined && /^pri_[\w.-]+$/.test(each))
  if (found === undefined)
    throw failed('The service gives the package no name that can be taken: name a file with --output.')
  return found
}

/**
 * The request, once it has ended or waits for a person. A request that others can follow is left to them by Ctrl-C. Any other is
 * canceled, and has then said what it did.
 */
async function watched(
  terminal: Terminal,
  { client, keeps }: OpenService,
  id: string,
  collections: number | undefined,
): Promise<Shown> {
  using interrupted = interruption()
  using bar = progressBar(terminal)
  const { signal } = interrupted
  const start = performance.now()
  let isStopping = false
  for (;;) {
    const request = await read(client, id)
    if (isLeft(request, performance.now() - start)) return request
    if (signal.aborted && !isStopping) {
      if (keeps) throw leftToOthers(id)
      isStopping = true
      bar.clear()
      say(
        terminal,
        'Stopping: what is being written is taken back, or ends. Ctrl-C again leaves at once, without a word on what was done.',
      )
      await client.call('PATCH /api/v1/privacy-request/administrate/cancel', { body: { request_ids: [id] } })
    }
    const query = { size: 1 } as const
    const path = { privacy_request_id: id }
    const { total } = await client.call('GET /api/v1/privacy-request/{privacy_request_id}/log', { path, query })
    bar.show(total, collections, request.status)
    await setTimeout(keeps ? 1_000 : 100, undefined, isStopping ? {} : { signal }).catch(() => {})
  }
}

const leftToOthers = (id: string) =>
  new CommandFailure(
    exitCodes.findings,
    `The request goes on where a worker of the service runs. 'habeas request watch ${id}' follows it.`,
  )

/** Whether no row is the person's, in all that was searched. */
const foundNothing = ({ results }: Shown) =>
  (results ?? []).every(({ outcomes }) => outcomes.every(({ row_count: rows }) => rows === 0))

const nothingFound = "No row was found for this identity: 'habeas plan' says where it is looked for."

/** One line for each outcome, but for those that a receipt gives. */
function outcomes({ results }: Shown, { isReceiptGiven }: { readonly isReceiptGiven: boolean }): string[] {
  const shown = (results ?? []).filter(({ action_type: action }) => action !== 'erasure' || !isReceiptGiven)
  return shown.flatMap(({ dataset, collection, outcomes }) =>
    outcomes.map(({ outcome, row_count: rows, reason }) =>
      // nobody has counted the rows of what was skipped
      [`${dataset}:${collection}`, outcome === 'skipped' && rows === 0 ? '-' : rows, outcome, reason ?? '']
        .join('\t')
        .trimEnd(),
    ),
  )
}

const receiptOf = (client: PrivacyClient, id: string) =>
  client.call('GET /api/v1/privacy-request/{privacy_request_id}/receipt', { path: { privacy_request_id: id } })

async function receiptText(client: PrivacyClient, id: string): Promise<string> {
  const given = { path: { privacy_request_id: id }, query: { format: 'text' } } as const
  return await textOf((await client.stream('GET /api/v1/privacy-request/{privacy_request_id}/receipt', given)).stream)
}

async function writeEvidence(
  terminal: Terminal,
  client: PrivacyClient,
  id: string,
  { evidence: file }: RequestOptions,
): Promise<void> {
  if (file === undefined) return
  const path = { privacy_request_id: id }
  const { stream } = await client.stream('GET /api/v1/privacy-request/{privacy_request_id}/evidence', { path })
  await writeStream(terminal, stream, file)
  if (isStandardOutput(file)) return
  const { signature } = JSON.parse(await readFile(resolve(terminal.folder, file), 'utf8')) as Partial<Evidence>
  // the service is trusted now, and the file may pass through other hands
  if (/^[\w-]+$/.test(String(signature?.publicKey)))
    say(
      terminal,
      `It is signed by the key ${signature?.publicKey}: note it down, and give it to 'habeas verify --key'.`,
    )
}
