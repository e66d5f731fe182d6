import { checkedCatalogue } from '../../actions/connections/checked-connection.js'
import { withoutSecrets } from '../../actions/connections/without-secrets.js'
import { isPrivacyError, isTransient, PrivacyError } from '../../errors.js'
import type { CatalogueCollection } from '../../model/catalogue.js'
import type { CallOptions } from '../../ports/call-options.js'
import type { Connection } from '../../ports/connector.js'
import { checkedBatches, checkedCounts } from './checked-answers.js'

/** What failures of a connector are told by. */
interface Guard {
  readonly type: string
  /** Texts that are no secrets, even if a secret is the same. */
  readonly harmless: readonly string[]
  /** Whether the connection was closed since another took its place. Absent: it was not. */
  readonly isReplaced?: () => boolean
}

/**
 * A connection whose errors never repeat the secrets that opened it, even if its author put them there, and name the
 * connector. Callers, stored requests and logs show these errors.
 */
export function guardedConnection(connection: Connection, secrets: unknown, guard: Guard): Connection {
  const { type } = guard
  let held: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  // a method that is not async may throw at once, or give its answer and no promise
  async function guarded<Result>(work: () => Promise<Result>, { signal }: CallOptions = {}): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw signal?.aborted ? error : connectorFailure(error, secrets, guard)
    }
  }
  const { countEach, estimate, erase, endWrites } = connection
  return {
    get concurrency() {
      return connection.concurrency
    },
    lacks: () => connection.lacks?.() ?? [],
    ping: (options) => guarded(() => connection.ping(options), options),
    async describe(options) {
      const catalogue = checkedCatalogue(await guarded(() => connection.describe(options), options), type)
      held = new Map(catalogue.collections.map((each) => [each.name, heldColumns(each)]))
      return catalogue
    },
    async *read(read, options) {
      try {
        yield* checkedBatches(connection.read(read, options), read, { type, held: held.get(read.collection) ?? none })
      } catch (error) {
        throw options?.signal?.aborted ? error : connectorFailure(error, secrets, guard)
      }
    },
    count: (counts, options) =>
      guarded(() => connection.count(counts, options), options).then((all) =>
        checkedCounts(all, counts.length, { type, method: 'count' }),
      ),
    ...(countEach && {
      async countEach(asked, options) {
        const each = await guarded(() => countEach.call(connection, asked, options), options)
        return checkedCounts(each, asked.group.values[0]?.length ?? 0, { type, method: 'countEach' })
      },
    }),
    ...(estimate && {
      estimate: (asked, options) => guarded(() => estimate.call(connection, asked, options), options),
    }),
    ...(erase && { erase: (batch, options) => guarded(() => erase.call(connection, batch, options)) }),
    ...(endWrites && {
      endWrites: (lock, options) => guarded(() => endWrites.call(connection, lock, options), options),
    }),
    close: () => connection.close(),
  }
}

const none: ReadonlySet<string> = new Set()

/** The columns that every row holds. Documents need not hold what a validator asks for: it may be younger than they are. */
function heldColumns({ schemaless, columns }: CatalogueCollection): ReadonlySet<string> {
  return schemaless ? none : new Set(columns.filter(({ nullable }) => nullable === false).map(({ name }) => name))
}

/** The error of a connector, or one in its place whose message holds no secret and says where it comes from. */
export function connectorFailure(error: unknown, secrets: unknown, guard: Guard): PrivacyError {
  const { type, harmless, isReplaced } = guard
  if (isReplaced?.() && !isTransient(error)) {
    const message =
      'The connection was closed while it was in use, since its secrets have changed or it gave no answer: try again.'
    return new PrivacyError('connection_failed', message, { reason: 'cancelled', transient: true }, { cause: error })
  }
  if (!isPrivacyError(error)) {
    const message = `The connector for ${type} failed in a way it does not explain; the log of the service has the cause.`
    return new PrivacyError('internal', message, {}, { cause: error })
  }
  const message = withoutSecrets(error.message, secrets, harmless)
  return message === error.message ? error : new PrivacyError(error.code, message, error.details, { cause: error })
}
