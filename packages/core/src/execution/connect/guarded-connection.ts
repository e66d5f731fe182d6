import { withoutSecrets } from '../../actions/connections/without-secrets.js'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { Connection } from '../../ports/connector.js'
import { checkedBatches, checkedCounts } from './checked-answers.js'

/**
 * A connection whose errors never repeat the secrets that opened it, even if its author put them there. Callers, stored
 * requests and logs show these errors.
 */
export function guardedConnection(
  connection: Connection,
  secrets: unknown,
  { type, harmless }: { readonly type: string; readonly harmless: readonly string[] },
): Connection {
  const guarded = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      throw errorWithoutSecrets(error, secrets, harmless)
    })
  const { countEach, estimate, erase, endWrites } = connection
  return {
    get concurrency() {
      return connection.concurrency
    },
    lacks: () => connection.lacks?.() ?? [],
    ping: (options) => guarded(connection.ping(options)),
    describe: (options) => guarded(connection.describe(options)),
    async *read(read, options) {
      try {
        yield* checkedBatches(connection.read(read, options), read, type)
      } catch (error) {
        throw errorWithoutSecrets(error, secrets, harmless)
      }
    },
    count: (counts, options) =>
      guarded(connection.count(counts, options)).then((all) =>
        checkedCounts(all, counts.length, { type, method: 'count' }),
      ),
    ...(countEach && {
      async countEach(asked, options) {
        const each = await guarded(countEach.call(connection, asked, options))
        return checkedCounts(each, asked.group.values[0]?.length ?? 0, { type, method: 'countEach' })
      },
    }),
    ...(estimate && { estimate: (asked, options) => guarded(estimate.call(connection, asked, options)) }),
    ...(erase && { erase: (batch, options) => guarded(erase.call(connection, batch, options)) }),
    ...(endWrites && { endWrites: (lock, options) => guarded(endWrites.call(connection, lock, options)) }),
    close: () => connection.close(),
  }
}

/** The error, or a copy whose message holds no secret. Only errors of this library are ever shown. */
export function errorWithoutSecrets(error: unknown, secrets: unknown, harmless: readonly string[]): unknown {
  if (!isPrivacyError(error)) return error
  const message = withoutSecrets(error.message, secrets, harmless)
  return message === error.message ? error : new PrivacyError(error.code, message, error.details, { cause: error })
}
