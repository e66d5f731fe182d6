import { type Db, MongoClient } from 'mongodb'
import type { ClientSettings } from './client-settings.js'
import { failure } from './connection-failure.js'
import { durable } from './durable.js'
import { closedFailure, notPrimaryFailure } from './mongo-failures.js'
import type { MongodbSettings } from './mongodb-settings.js'
import type { GivenOption } from './network-failure.js'

/** What the server says of itself. */
export interface ServerTraits {
  /** It is no member of a replica set: it has no transactions. */
  readonly standsAlone: boolean
  readonly sharded: boolean
}

/** A client that is made when it is first needed, and what its server can do. */
export interface MongoServer {
  readonly client: MongoClient
  readonly db: Db
}

export function createMongoServer(settingsOf: () => ClientSettings, settings: MongodbSettings) {
  let opened: MongoServer | undefined
  /** A client that could not connect once never does again. */
  let isSpent = false
  /** Clients that found no server, until the last call of theirs has ended, with the timers that close them. */
  const retired = new Map<MongoServer, NodeJS.Timeout>()
  let asked: Promise<ServerTraits> | undefined
  let known: ServerTraits | undefined
  let closed = false

  function open(): MongoServer {
    if (closed) throw closedFailure()
    if (!opened || isSpent) opened = renewed()
    return opened
  }

  function renewed(): MongoServer {
    const made = opening(settingsOf(), settings)
    isSpent = false
    asked = undefined
    made.client.once('topologyClosed', () => {
      if (opened === made) isSpent = true
    })
    made.client.on('serverDescriptionChanged', ({ previousDescription, newDescription }) => {
      if (opened === made && previousDescription.type !== newDescription.type) asked = undefined
    })
    return made
  }

  async function ask(): Promise<ServerTraits> {
    const hello = await open().db.command({ hello: 1, maxTimeMS: Math.ceil(settings.connectTimeoutSeconds * 1_000) })
    const sharded = hello['msg'] === 'isdbgrid'
    // a driver that is told to connect to one member alone also reads from it
    if (hello['isWritablePrimary'] === false) throw notPrimaryFailure()
    known = { sharded, standsAlone: !sharded && typeof hello['setName'] !== 'string' }
    return known
  }

  async function end(left: MongoServer): Promise<void> {
    clearTimeout(retired.get(left))
    retired.delete(left)
    await left.client.close()
  }

  return {
    open,
    /** The client that calls use now, if there is one. */
    current: () => opened,
    /**
     * Uses another client from now on. The driver may wait for ever for an answer to a heartbeat that it wrote to a socket
     * of which it had not yet heard that it is closed, and then never sees that the server is back.
     */
    retire(left: MongoServer | undefined): void {
      if (!left || left !== opened || closed) return
      opened = undefined
      const timer = setTimeout(() => void end(left).catch(() => {}), settings.statementTimeoutSeconds * 1_000)
      retired.set(left, timer.unref())
    },
    /**
     * Asks once, and again when the driver has heard that the server is of another kind, such as a primary that stepped
     * down. A failure is not remembered.
     */
    async traits(): Promise<ServerTraits> {
      asked ??= ask()
      const asking = asked
      try {
        return await asking
      } catch (error) {
        if (asked === asking) asked = undefined
        throw error
      }
    },
    /** Options that the secrets name and that may keep the client from the server. */
    given(used: MongoServer | undefined): GivenOption[] {
      const { replicaSet, tls } = used?.client.options ?? {}
      return [...(replicaSet === undefined ? [] : ['replicaSet' as const]), ...(tls ? ['tls' as const] : [])]
    },
    /** What the server said, if it was asked. */
    known: () => known,
    async close(): Promise<void> {
      closed = true
      await Promise.all([opened?.client.close(), ...[...retired.keys()].map(end)])
    },
  }
}

function opening({ address, options, database }: ClientSettings, settings: MongodbSettings): MongoServer {
  const connectMs = settings.connectTimeoutSeconds * 1_000
  let client: MongoClient
  try {
    client = new MongoClient(address, {
      ...options,
      appName: settings.applicationName,
      maxPoolSize: settings.poolSize,
      maxIdleTimeMS: settings.idleTimeoutSeconds * 1_000,
      serverSelectionTimeoutMS: connectMs,
      // a server that works ends each command by itself before
      socketTimeoutMS: Math.max(settings.statementTimeoutSeconds, settings.writeTimeoutSeconds) * 1_000 + connectMs,
      connectTimeoutMS: connectMs,
      // a member that lags would hide documents, and show erased ones
      readPreference: 'primary',
      readConcern: { level: 'local' },
      writeConcern: durable(settings.writeTimeoutSeconds * 1_000),
      ignoreUndefined: false,
    })
  } catch (error) {
    // what the driver says of an address may repeat it
    const name = error instanceof Error ? error.name : 'an error'
    throw failure(
      'missing_secret',
      `The driver could not read the secrets of the connection (${name}): check ssl, the names of the options in url, and that characters such as @, : and % of a user name or password are percent-encoded there.`,
    )
  }
  return { client, db: client.db(database) }
}
