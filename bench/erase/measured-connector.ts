import type { Connection, Connector } from '@habeas/core'

/** What an erasure did on one connection. */
export interface Phases {
  /** Batches that were written: a statement each, within a transaction of their own. */
  batches: number
  /** From the first write to the last commit, without what was read in between. */
  writing: number
  /** Reading again what was written. */
  verifying: number
  /** Everything before the first write. */
  finding: number
}

/** A connector that tells the phases of an erasure apart by the calls it gets. */
export function measuredConnector(connector: Connector): {
  readonly connector: Connector
  readonly phases: () => Phases
} {
  const began = performance.now()
  let firstWrite: number | undefined
  let lastWrite = 0
  let batches = 0
  let readBetween = 0
  let readAfter = 0
  const measured = (connection: Connection): Connection => ({
    ...connection,
    get concurrency() {
      return connection.concurrency
    },
    async *read(read, options) {
      const from = performance.now()
      yield* connection.read(read, options)
      if (firstWrite !== undefined) readAfter += performance.now() - from
    },
    async erase(erase, options) {
      if (options?.rollBack) return connection.erase?.(erase, options)
      firstWrite ??= performance.now()
      readBetween += readAfter
      readAfter = 0
      await connection.erase?.(erase, options)
      batches++
      lastWrite = performance.now()
    },
  })
  return {
    connector: { ...connector, connect: async (secrets) => measured(await connector.connect(secrets)) },
    phases: () => ({
      batches,
      writing: firstWrite === undefined ? 0 : lastWrite - firstWrite - readBetween,
      verifying: readBetween + readAfter,
      finding: (firstWrite ?? performance.now()) - began,
    }),
  }
}
