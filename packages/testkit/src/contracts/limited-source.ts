import assert from 'node:assert/strict'
import {
  type CatalogueCollection,
  type Connection,
  type Connector,
  type CountEach,
  type CountRows,
  type Erase,
  isPrivacyError,
  type KeyGroup,
  type Read,
  type Row,
} from '@habeas/core'
import { memoryConnector } from '../fakes/memory-connector.js'
import type { MemoryRule } from '../fakes/memory-draft.js'
import type { Fixture } from '../fixtures/fixture.js'
import { memoryDatabase } from '../fixtures/memory-fixture.js'

/** A collection of a source that answers few questions, such as the interface of a service. */
export interface LimitedCollection {
  /** The columns by which its rows can be looked up. Each group of a call has to name one of them. */
  readonly lookups: readonly string[]
  /** Whether `erase` can delete its rows. New values cannot be written in any case. Default: false. */
  readonly deletes?: boolean
}

/** What a source can be asked, and what its catalogue cannot say. */
export interface SourceLimits {
  /**
   * For a source that cannot hold every table of a fixture or cannot be asked everything: the tables that it has, by
   * name. It is asked what it can answer. Everything else it has to refuse with `unsupported`, and a connector in memory
   * answers in its place, so that each case is run. Default: it has every table and answers everything.
   */
  readonly only?: Readonly<Record<string, LimitedCollection>>
  /** True when the server compares text without regard to case, accents or blanks at the end. Default: false. */
  readonly comparesLoosely?: boolean
  /**
   * False when the server knows no foreign keys: `describe` then gives none. `declared` when it enforces none: `describe`
   * then gives them without delete rules. Default: true.
   */
  readonly foreignKeys?: boolean | 'declared'
  /** False when the server has no indexes: `describe` then gives none. Default: true. */
  readonly indexes?: boolean
  /** True when calls honour a `filter`. Default: the catalogue gives no `partition`, so that none is sent. */
  readonly filters?: boolean
  /** False when the server keeps no length of text: `describe` then gives none. Default: true. */
  readonly lengths?: boolean
}

/** Gives connections that answer every question about the fixture, the source among them where it can. */
export const completing = (
  connector: Connector,
  fixture: Fixture,
  limits: SourceLimits & { readonly unenforced?: readonly MemoryRule[] },
): ((connection: Connection) => Promise<Connection>) => {
  const { only, comparesLoosely: loose = false, unenforced = [] } = limits
  if (only === undefined) return async (connection) => connection
  const database = memoryDatabase(fixture)
  const capabilities = { ...connector.capabilities, fencing: connector.capabilities.fencing === true }
  const erases = connector.capabilities.maxErased !== undefined
  const reference = memoryConnector({ database, loose, capabilities, erases, unenforced })
  // What only the connector in memory has written, the source does not know.
  const apart = new Set<string>()

  const limitsOf = (collection: string) => (Object.hasOwn(only, collection) ? only[collection] : undefined)
  const isLookedUp = (collection: string, groups: readonly KeyGroup[]): boolean => {
    const lookups = new Set(apart.has(collection) ? undefined : limitsOf(collection)?.lookups)
    const names = ({ fields }: KeyGroup) => fields.some(({ path }) => path.length === 1 && lookups.has(path[0]!))
    return lookups.size > 0 && groups.every(names)
  }
  const isCounted = ({ collection, group }: Pick<CountEach, 'collection' | 'group'>) => isLookedUp(collection, [group])
  const isDeletable = ({ collection, set, anyOf, pointers = [], unchanged = [] }: Erase): boolean =>
    set === 'delete' &&
    limitsOf(collection)?.deletes === true &&
    isLookedUp(collection, anyOf) &&
    pointers.every(({ count }) => isCounted(count)) &&
    unchanged.every(isCounted)

  /** Asserts that the source refuses a call. A failure that is no refusal is passed on: the case may be about it. */
  const refused = async (collections: readonly string[], call: () => Promise<unknown>): Promise<void> => {
    if (collections.some((name) => apart.has(name))) return
    const outcome = await call().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    assert.ok(outcome, `what cannot be asked of ${collections.join(', ')} is unsupported`)
    if (isPrivacyError(outcome.error, 'unsupported')) return
    const isMissing =
      isPrivacyError(outcome.error, 'connection_failed') && outcome.error.details.reason === 'missing_collection'
    if (!isMissing || collections.every((name) => limitsOf(name))) throw outcome.error
  }

  return async (connection) => {
    const rest = await reference.connect({})

    async function* answered(read: Read, options?: Parameters<Connection['read']>[1]): AsyncGenerator<readonly Row[]> {
      await refused([read.collection], () => allOf(connection.read(read, options)))
      yield* rest.read(read, options)
    }
    const { erase, countEach } = connection
    return {
      ...connection,
      read: (read, options) =>
        isLookedUp(read.collection, read.anyOf) ? connection.read(read, options) : answered(read, options),
      async count(counts, options) {
        const isAsked = ({ collection, anyOf }: CountRows) => isLookedUp(collection, anyOf)
        const others = counts.filter((each) => !isAsked(each))
        if (others.length === 0) return connection.count(counts, options)
        await refused(
          others.map(({ collection }) => collection),
          () => connection.count(counts, options),
        )
        const answers = counts.map((each) => (isAsked(each) ? connection : rest).count([each], options))
        return (await Promise.all(answers)).flat()
      },
      ...(countEach && {
        async countEach(asked, options) {
          if (isCounted(asked)) return countEach.call(connection, asked, options)
          await refused([asked.collection], () => countEach.call(connection, asked, options))
          return rest.countEach!(asked, options)
        },
      }),
      ...(erase && {
        async erase(batch, options) {
          const call = () => erase.call(connection, batch, options)
          if (isDeletable(batch)) {
            await call()
            if (options?.rollBack !== true) await rest.erase!(batch)
            return
          }
          const counted = [...(batch.pointers ?? []).map(({ count }) => count), ...(batch.unchanged ?? [])]
          await refused([batch.collection, ...counted.map(({ collection }) => collection)], call)
          await rest.erase!(batch, options)
          if (options?.rollBack !== true) apart.add(batch.collection)
        },
      }),
      async describe(options) {
        const own = await connection.describe(options)
        const { collections } = await rest.describe(options)
        return {
          collections: collections.map((each) => {
            if (!limitsOf(each.name)) return withoutUnknown(each, limits)
            const live = own.collections.find(({ name }) => name === each.name)
            assert.ok(live !== undefined, `${each.name} is described`)
            return withoutLookups(live, each, only[each.name]!)
          }),
        }
      },
      async close() {
        await Promise.all([connection.close(), rest.close()])
      },
    }
  }
}

const allOf = async (batches: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of batches);
}

/** Returns the foreign keys of a table as a server with these limits gives them. */
export const knownForeignKeys = (
  given: CatalogueCollection['foreignKeys'],
  { foreignKeys = true }: Pick<SourceLimits, 'foreignKeys'>,
): CatalogueCollection['foreignKeys'] => {
  if (foreignKeys === 'declared') return given.map((key) => ({ ...key, onDelete: 'no action' }))
  return foreignKeys ? given : []
}

/** As the source would describe it, if it had it. */
const withoutUnknown = (live: CatalogueCollection, limits: SourceLimits): CatalogueCollection => ({
  ...live,
  foreignKeys: knownForeignKeys(live.foreignKeys, limits),
  ...(limits.indexes === false && { indexes: [] }),
  ...(limits.lengths === false && { columns: live.columns.map(({ length: _, ...column }) => column) }),
})

/**
 * Without the column by which rows are looked up, which stands in the key only for that: the true key is a unique one. What
 * else is unique, a source may say or not.
 */
const withoutLookups = (
  live: CatalogueCollection,
  { primaryKey: key, uniqueKeys }: CatalogueCollection,
  { lookups }: LimitedCollection,
): CatalogueCollection => {
  const further = live.uniqueKeys.filter((each) => `${each}` !== `${key}`)
  return {
    ...live,
    primaryKey: live.primaryKey.filter((column) => key.includes(column) || !lookups.includes(column)),
    uniqueKeys: further.length > 0 ? further : uniqueKeys,
  }
}
