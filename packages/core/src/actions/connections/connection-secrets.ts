import { sealContexts } from '../../crypto/seal-contexts.js'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import { isPlainObject } from '../../model/clean-input.js'
import { type ConnectionType, connectionTypes } from '../../model/connection.js'
import { mergeSecrets, missingSecrets, parseSecrets, type SecretsByType } from '../../model/database-secrets.js'
import { keySchema } from '../../model/key.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Connector } from '../../ports/connector.js'
import type { ConnectionRow, ConnectionSecretRow } from '../../ports/rows.js'
import type { ActionContext } from '../action-context.js'
import { findAll } from '../find-all.js'
import { mergePatch } from '../resources/merge-patch.js'
import { overtaken, tookEffect, untilWritten } from '../until-written.js'
import { holdConnection, needConnection } from './connection-rows.js'
import { refusalWithoutSecrets } from './without-secrets.js'

/** Everything needed to open a connection. */
export interface ConnectionSource {
  /** Changes when the connection must be opened anew. */
  readonly revision: string
  readonly connector: Connector
  /** As they are stored; a connector parses them once more when it connects. */
  secrets(): Promise<unknown>
}

function isListed(type: string): type is ConnectionType {
  return connectionTypes.some((listed) => listed.type === type)
}

/** Stores secrets sealed and opens them for connectors. */
export function connectionSecrets({ storage, secrets: sealer, connectors }: ActionContext) {
  async function seal(key: string, secrets: unknown): Promise<string> {
    const bytes = new TextEncoder().encode(JSON.stringify(secrets))
    return Buffer.from(await sealer.seal(bytes, sealContexts.connectionSecret(key))).toString('base64')
  }

  async function open(key: string, sealed: string): Promise<unknown> {
    try {
      const bytes = await sealer.open(Buffer.from(sealed, 'base64'), sealContexts.connectionSecret(key))
      return JSON.parse(new TextDecoder().decode(bytes))
    } catch (cause) {
      // A key server that is away says so itself.
      if (isPrivacyError(cause) && cause.code !== 'internal') throw cause
      const message = `The stored secrets of the connection '${key}' cannot be opened: set them again, or bring back the key they were sealed with.`
      const details = { connection: key, reason: 'unreadable_secrets' }
      throw new PrivacyError('connection_failed', message, details, { cause })
    }
  }

  function connectorFor({ key, connectionType: type }: ConnectionRow): Connector {
    const connector = connectors.get(type)
    if (connector) return connector
    if (connectionTypes.some((listed) => listed.type === type && listed.category === 'manual')) {
      const message = `The connection '${key}' is of type ${type}: there is no database behind it, people look things up.`
      throw new PrivacyError('connection_failed', message, { connection: key, reason: 'no_database' })
    }
    const message = isListed(type)
      ? unpassedMessage(type)
      : `no connector for ${type} is registered: define one and pass it in \`connectors\``
    throw new PrivacyError('connection_failed', message, { connection: key, reason: 'no_connector' })
  }

  /** Whether core knows the secrets of the kind. A registered connector that describes its own knows better. */
  function isKnown(type: string): type is ConnectionType {
    return isListed(type) && connectors.get(type)?.secretsSchema === undefined
  }

  /** The secrets as they are stored. Those that core does not know are checked by their connector and stored as given. */
  function read({ key, connectionType: type }: ConnectionRow, input: unknown, stored?: unknown): unknown {
    if (isKnown(type)) {
      return isPlainObject(stored)
        ? mergeSecrets(type, stored as SecretsByType[ConnectionType], input)
        : parseSecrets(type, input)
    }
    const connector = connectors.get(type)
    if (!connector) {
      const message = `The secrets of '${key}' cannot be checked, because no connector for ${type} is registered: pass it in \`connectors\`.`
      throw new PrivacyError('unsupported', message, { feature: type })
    }
    const merged = stored === undefined ? input : mergePatch(withoutRenamed(stored, input, connector), input)
    if (!isPlainObject(merged)) {
      throw invalidInput('set of secrets', [{ loc: [], msg: 'must be an object', type: 'invalid_type' }])
    }
    try {
      connector.parseSecrets(merged)
    } catch (error) {
      throw refusalWithoutSecrets(error, type, merged)
    }
    return merged
  }

  /** Replaces the secrets, or merges them into the stored ones. Throws `invalid_input` and `not_found`. */
  async function store(key: string, input: unknown, merge: boolean): Promise<void> {
    const table = storage.table('connectionSecret')
    await untilWritten('connection', key, async () => {
      const connection = await needConnection(storage, key)
      const row = await table.get(key)
      const before = merge && row ? await open(key, row.sealed) : undefined
      const sealed = await seal(key, read(connection, input, before))
      const written = await tookEffect(() =>
        storage.transaction(async (within) => {
          const held = await holdConnection(within, key)
          if (held?.connectionType !== connection.connectionType) throw overtaken('connection', key)
          const secrets = within.table('connectionSecret')
          if (!row) await secrets.insert({ id: key, version: 1, sealed })
          else if (!(await secrets.replace({ id: key, version: row.version + 1, sealed })))
            throw overtaken('connection', key)
        }),
      )
      return written || undefined
    })
  }

  /** Throws `connection_failed` with a reason a person can act on when the connection cannot be opened. */
  async function source(key: string): Promise<ConnectionSource> {
    const where = { id: { equals: key } }
    const [[known], [row]] = keySchema.safeParse(key).success
      ? await findAll(storage, [
          { kind: 'connection', where },
          { kind: 'connectionSecret', where },
        ])
      : [[], []]
    const connection = known ?? (await needConnection(storage, key))
    const { connectionType: type } = connection
    const connector = connectorFor(connection)
    if (!row) {
      const message = `No secrets are stored for the connection '${key}': set them, then test again.`
      throw new PrivacyError('connection_failed', message, { connection: key, reason: 'no_secrets' })
    }
    return {
      connector,
      revision: `${type} ${secretsRevision(row)}`,
      async secrets() {
        const opened = await open(key, row.sealed)
        if (isKnown(type)) refuseIncomplete(key, type, opened as SecretsByType[ConnectionType])
        try {
          connector.parseSecrets(opened)
        } catch (error) {
          const refusal = refusalWithoutSecrets(error, type, opened)
          const message = `The stored secrets of the connection '${key}' do not fit its type: set them again. ${refusal.message}`
          throw new PrivacyError('connection_failed', message, { connection: key, reason: 'unfit_secrets' })
        }
        return opened
      },
    }
  }

  return { store, source }
}

export type ConnectionSecrets = ReturnType<typeof connectionSecrets>

/** Another text for other secrets, and the same where they were only sealed anew. */
export function secretsRevision({ version, sealed, revision }: ConnectionSecretRow): string {
  // Sealing never gives the same text twice.
  return revision ?? `${version} ${sealed.slice(-24)}`
}

/** A member that comes under one of its names takes the place of what is stored under another. */
function withoutRenamed(stored: unknown, input: unknown, { secretAliases = {} }: Connector): unknown {
  if (!isPlainObject(stored) || !isPlainObject(input)) return stored
  const keptName = (name: string) => secretAliases[name] ?? name
  const given = new Set(Object.keys(input).map(keptName))
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name in input || !given.has(keptName(name))))
}

function refuseIncomplete<Type extends ConnectionType>(key: string, type: Type, secrets: SecretsByType[Type]): void {
  const missing = missingSecrets(type, secrets)
  if (missing.length === 0) return
  const advice = `set ${missing.length > 1 ? 'them' : 'it'}${type === 'bigquery' ? '' : ', or a url'}`
  const message = `The secrets of the connection '${key}' lack ${missing.join(', ')}: ${advice}.`
  throw new PrivacyError('connection_failed', message, { connection: key, reason: 'incomplete_secrets' })
}

/** Whether the package is installed is not known here. Every adapter names its connectors by their kind. */
function unpassedMessage(type: ConnectionType): string {
  const [adapter, name] = [`@habeas/adapter-${packageOf(type)}`, `${type}Connector`]
  const lines = `\`import { ${name} } from '${adapter}'\` and \`connectors: [${name}()]\``
  return `no connector for ${type} is registered: install ${adapter} and pass it in \`connectors\`. The package alone is not enough, createPrivacyService needs the lines ${lines}.`
}

/** The package with the connector of a listed kind. */
function packageOf(type: ConnectionType): string {
  if (type === 'timescale' || type === 'redshift') return 'postgres'
  return type === 'mariadb' ? 'mysql' : type
}
