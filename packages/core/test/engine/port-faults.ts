import type { Blobs, Connection, Read, RowKind, Storage } from '@habeas/core'
import type { MemoryConnector } from '@habeas/testkit'

/** One call: the `nth` of those that go by this name, from 1 on. */
export interface FailingCall {
  readonly name: string
  readonly nth: number
}

/** Calls of every port are counted by name from `begin` on; one of them fails, and no other. */
export function portFaults(failing?: FailingCall, nameOf: (read: Read) => string = ({ collection }) => collection) {
  const calls = new Map<string, number>()
  let counts = false
  let failed: string | undefined
  const step = (name: string) => {
    if (!counts) return
    const nth = (calls.get(name) ?? 0) + 1
    calls.set(name, nth)
    if (name !== failing?.name || nth !== failing.nth) return
    failed = name
    throw new Error(`injected: ${name}`)
  }
  const methods = <Port extends object>(port: Port, name: string): Port =>
    Object.fromEntries(
      Object.entries(port).map(([method, call]) => [
        method,
        async (...parameters: unknown[]) => {
          step(`${name}.${method}`)
          return call(...parameters)
        },
      ]),
    ) as Port
  const storage = (inner: Storage): Storage => ({
    ...inner,
    table: (kind: RowKind) => methods(inner.table(kind), kind) as never,
    transaction: (work) => inner.transaction((within) => work(storage(within))),
  })
  const blobs = (inner: Blobs): Blobs => ({
    ...methods(inner, 'blobs'),
    async *read(...parameters) {
      step('blobs.read')
      yield* inner.read(...parameters)
    },
  })
  const connection = (inner: Connection): Connection => ({
    ...methods(inner, 'connector'),
    concurrency: inner.concurrency,
    async *read(read, options) {
      step(`connector.read ${nameOf(read)}`)
      for await (const batch of inner.read(read, options)) {
        yield batch
        step(`connector.read ${nameOf(read)}, on its way`)
      }
    },
  })
  const connector = (inner: MemoryConnector): MemoryConnector => ({
    ...inner,
    async connect(secrets) {
      step('connector.connect')
      return connection(await inner.connect(secrets))
    },
  })
  return {
    step,
    storage,
    blobs,
    connector,
    methods,
    begin: () => {
      counts = true
    },
    end: () => {
      counts = false
    },
    /** How often each was called. */
    calls: calls as ReadonlyMap<string, number>,
    /** The call that failed, once it has. */
    get failed() {
      return failed
    },
  }
}
