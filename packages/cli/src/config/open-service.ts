import { randomBytes } from 'node:crypto'
import { createPrivacyClient, type PrivacyClient } from '@habeas/client'
import { type AppliedManifest, createPrivacyService, isPrivacyError, type PrivacyService } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { failed, wrongUsage } from '../command-end.js'
import { say, type Terminal } from '../terminal.js'
import { heldLog } from './held-log.js'
import { type LoadedConfig, loadConfig } from './load-config.js'
import { manifestFiles } from './manifest-files.js'

export interface ServiceOptions {
  readonly config?: string
  /** Where a service answers, instead of the files and databases of the configuration. */
  readonly url?: string
}

/** A service that a command asks: the one at an address, or one of this process. */
export interface OpenService extends AsyncDisposable {
  readonly client: PrivacyClient
  /** Whether what it is told is there for the next command. */
  readonly keeps: boolean
  /** What its files came to. Absent where it has a storage, or is elsewhere. */
  readonly applied?: AppliedManifest
}

/** A service of this process, made from the configuration. */
export interface LocalService extends OpenService {
  readonly config: LoadedConfig
  readonly privacy: PrivacyService
}

/** Whether it is one of this process. */
export const isLocal = (service: OpenService): service is LocalService => 'privacy' in service

/** The service at the address that was given, or one of this process. */
export async function openService(
  terminal: Terminal,
  options: ServiceOptions,
  opening: OpenLocalOptions = {},
): Promise<OpenService | LocalService> {
  const url = options.url ?? terminal.env['HABEAS_URL']
  if (url !== undefined && url !== '') return remoteService(terminal, url)
  return openLocal(terminal, options, opening)
}

/** How long a service may be silent before the person is told. */
const silentMs = 5_000

/** Secrets come from the environment alone: arguments are seen by every user of the machine. */
function remoteService(terminal: Terminal, baseUrl: string): OpenService {
  const { env } = terminal
  const address = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!address || !/^https?:$/.test(address.protocol))
    throw wrongUsage('--url, or HABEAS_URL, takes an address such as https://privacy.example.com.')
  // the address may be shown, and a password in it with it
  if (address.username !== '' || address.password !== '')
    throw wrongUsage('--url takes no user and no password: set HABEAS_CLIENT_ID and HABEAS_CLIENT_SECRET.')
  const [clientId, clientSecret] = [env['HABEAS_CLIENT_ID'], env['HABEAS_CLIENT_SECRET']]
  if (!clientId || !clientSecret)
    throw wrongUsage(
      `The service at ${baseUrl} wants a client: set HABEAS_CLIENT_ID and HABEAS_CLIENT_SECRET to one that the service has made.`,
    )
  const patient = (request: Request) => {
    const timer = setTimeout(() => say(terminal, `Waiting for the service at ${baseUrl} …`), silentMs)
    return fetch(request).finally(() => clearTimeout(timer))
  }
  const client = createPrivacyClient({ baseUrl, clientId, clientSecret, fetch: patient })
  return { client, keeps: true, [Symbol.asyncDispose]: async () => {} }
}

interface OpenLocalOptions {
  readonly keep?: boolean
  /** The connections that are asked. Default: all. */
  readonly asks?: readonly string[] | undefined
}

/**
 * A service of this process. `keep`: over the storage of the configuration, which others may share. Otherwise in memory, with
 * the connections and files of the configuration.
 */
export async function openLocal(
  terminal: Terminal,
  options: Pick<ServiceOptions, 'config'>,
  { keep = false, asks }: OpenLocalOptions = {},
): Promise<LocalService> {
  const config = await loadConfig(terminal, options.config)
  if (!config)
    throw wrongUsage(
      `There is no configuration in this folder: run 'habeas init', name one with --config, or a service with --url.`,
    )
  const { service = {} } = config
  const keeps = keep && service.storage !== undefined
  const { storage, blobs, queue, mailer, ...inMemory } = service
  const root = { oauthRootClientId: 'habeas-command', oauthRootClientSecret: randomBytes(32).toString('hex') }
  const log = heldLog(terminal)
  const privacy: PrivacyService = createPrivacyService({
    logger: log.logger,
    ...(keeps
      ? defined(service)
      : { encryptionKey: randomBytes(32).toString('base64'), ...defined(inMemory), execution: nobodyWaits(service) }),
    security: { ...service.security, ...root },
  })
  const close = () => privacy.close()
  try {
    const client = createPrivacyClient({
      baseUrl: 'http://localhost',
      clientId: root.oauthRootClientId,
      clientSecret: root.oauthRootClientSecret,
      fetch: createHttpHandler(privacy),
    })
    let applied: AppliedManifest | undefined
    if (keeps) {
      // a storage that other keys have sealed says so here; over HTTP it would be a failure of the service
      await privacy.connections.list({ size: 1 })
    } else {
      await writeConnections(privacy, config, asks)
      const files = manifestFiles(config)
      if (files.length > 0) applied = await privacy.manifests.apply(files)
    }
    log.begin()
    return { client, keeps, config, privacy, ...(applied && { applied }), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    // a failure that has its own words says all that the log would; of any other, the log has the cause
    if (!isPrivacyError(error) || error.code === 'internal') log.begin()
    throw error
  }
}

/** Nobody approves or verifies a request that ends with its command. */
function nobodyWaits({ execution }: NonNullable<LoadedConfig['service']>) {
  return {
    ...execution,
    ...{ inProcess: true, immediate: true },
    ...{ requireManualRequestApproval: false, subjectIdentityVerificationRequired: false },
  }
}

/** The members that have a value: an environment variable that is not set gives undefined. */
function defined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<Value>
}

/** Writes the connections of the configuration into a service, with the secrets of those that are asked. */
export async function writeConnections(
  { connections }: PrivacyService,
  { connections: settings = {}, unset }: Pick<LoadedConfig, 'connections' | 'unset'>,
  asks: readonly string[] = Object.keys(settings),
): Promise<void> {
  for (const [key, { type, access, secrets }] of Object.entries(settings)) {
    await connections.put({ key, connectionType: type as never, ...(access && { access }) })
    if (!secrets || !asks.includes(key)) continue
    const [without] = Object.entries(secrets).find(([, value]) => value === undefined || value === '') ?? []
    if (without !== undefined) throw noValue(without, key, unset())
    await connections.setSecrets(key, secrets, { verify: false })
  }
}

function noValue(secret: string, key: string, unset: readonly string[]) {
  const which = unset.length === 0 ? '' : ` Not set: ${unset.join(', ')}.`
  return wrongUsage(
    `The secret '${secret}' of the connection '${key}' has no value: set the environment variable that the configuration takes it from.${which}`,
  )
}

/** Rejects where a connection does not work, with what to do. */
export async function needConnection({ privacy }: LocalService, key: string): Promise<void> {
  const { testStatus, failureReason } = await privacy.connections.test(key)
  if (testStatus === 'failed') throw failed(`The connection '${key}' does not work: ${failureReason}`)
}
