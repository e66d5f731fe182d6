import type { Connection, Connector, ConnectorCapabilities, KeyGroup } from '@habeas/core'
import type { Test } from '../test.js'
import { type Open, openedCases } from './opened-case.js'

interface Opened {
  readonly connector: Connector
  readonly connection: Connection
  readonly other?: Connection
}

/**
 * Declares cases over connections that are never asked for more than the connector takes at once. A case that needs more
 * ends there, and says so by its name: nothing can be said of the connector that way.
 */
export const casesWithin =
  <Each extends Opened>(test: Test, open: Open<Each>, close: (opened: Each) => Promise<void>) =>
  (name: string, run: (opened: Each) => Promise<void>): unknown =>
    openedCases(
      test,
      open,
      close,
    )(name, async (opened: Each) => {
      const { connector, connection, other } = opened
      let beyond: string | undefined
      const limited = (each: Connection) =>
        within(each, connector.capabilities, (what) => {
          beyond ??= what
          throw new Error(what)
        })
      try {
        await run({ ...opened, connection: limited(connection), ...(other && { other: limited(other) }) })
      } catch (error) {
        if (beyond === undefined) throw error
      }
      if (beyond !== undefined) process.emitWarning(`NOT TESTED: ${name}. The case needs ${beyond}.`)
    })

/** The connection, where a call that names more than it takes goes to `refuse` instead. */
const within = (
  connection: Connection,
  { maxKeys, maxErased, maxKeyParts = Number.POSITIVE_INFINITY }: ConnectorCapabilities,
  refuse: (what: string) => never,
): Connection => {
  const checkKeys = (...groups: readonly Pick<KeyGroup, 'values'>[]) => {
    const keys = groups.reduce((sum, { values }) => sum + (values[0]?.length ?? 0), 0)
    if (keys > maxKeys) refuse(`maxKeys of at least ${keys}, which is ${maxKeys} here`)
    const parts = groups.reduce((sum, { values }) => sum + values.length * (values[0]?.length ?? 0), 0)
    if (parts > maxKeyParts) refuse(`maxKeyParts of at least ${parts}, which is ${maxKeyParts} here`)
  }
  const checked: Partial<Connection> = {
    read(read, options) {
      checkKeys(...read.anyOf)
      return connection.read(read, options)
    },
    async count(counts, options) {
      for (const { anyOf, noneOf = [] } of counts) for (const groups of [anyOf, noneOf]) checkKeys(...groups)
      return connection.count(counts, options)
    },
    async countEach(asked, options) {
      checkKeys(asked.group)
      return connection.countEach!(asked, options)
    },
    async erase(erase, options) {
      const rows = erase.keys[0]?.length ?? 0
      if (maxErased !== undefined && rows > maxErased)
        refuse(`maxErased of at least ${rows}, which is ${maxErased} here`)
      checkKeys(...erase.anyOf)
      return connection.erase!(erase, options)
    },
  }
  // A connection may be an instance of a class, whose methods need it as their `this`.
  return new Proxy(connection, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target)
      if (typeof own !== 'function') return own
      return checked[name as keyof Connection] ?? own.bind(target)
    },
  })
}
