import type { Blobs, Connection, Connector, Storage } from '@habeas/core'

/** When a process dies: with its nth call to the outside, before that has an effect or when it would answer. */
export interface Death {
  readonly call: number
  readonly moment: 'before' | 'after'
}

/** The outside of a process that may die: from then on nothing answers any more. What it calls is counted. */
export function mortal(death?: Death) {
  let calls = 0
  let dead = false
  const names: string[] = []
  const forever = () => new Promise<never>(() => {})

  const call = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    if (dead) return forever()
    const number = ++calls
    names.push(name)
    if (number === death?.call && death.moment === 'before') dead = true
    if (dead) return forever()
    const result = await work()
    if (number === death?.call) dead = true
    return dead ? forever() : result
  }

  /** Every method of it as a call. */
  const wrapped = <Wrapped extends object>(name: string, target: Wrapped, others: Partial<Wrapped> = {}): Wrapped =>
    new Proxy(target, {
      get(_, property, receiver) {
        if (Object.hasOwn(others, property)) return others[property as keyof Wrapped]
        const value = Reflect.get(target, property, receiver)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => call(`${name}.${String(property)}`, async () => value.apply(target, given))
      },
    })

  async function* stream<Part>(name: string, open: () => AsyncIterable<Part>): AsyncIterable<Part> {
    await call(name, async () => {})
    for await (const part of open()) {
      if (dead) await forever()
      yield part
    }
  }

  return {
    get calls(): readonly string[] {
      return names
    },
    get isDead() {
      return dead
    },
    /** It dies now, whatever it is doing. */
    die() {
      dead = true
    },
    /** A place in the middle of a call at which the process may die as well. */
    reach: (name: string) => call(name, async () => {}),
    /** A transaction happens or does not: nobody dies inside of one. */
    storage: (storage: Storage): Storage =>
      wrapped('storage', storage, { table: (kind) => wrapped(`storage.${kind}`, storage.table(kind)) }),
    blobs: (blobs: Blobs): Blobs =>
      wrapped('blobs', blobs, { read: (...given) => stream('blobs.read', () => blobs.read(...given)) }),
    connector: (connector: Connector): Connector => ({
      type: connector.type,
      category: connector.category,
      capabilities: connector.capabilities,
      parseSecrets: (input) => connector.parseSecrets(input),
      async connect(secrets) {
        const connection: Connection = await connector.connect(secrets)
        return wrapped('connection', connection, {
          read: (...given) => stream('connection.read', () => connection.read(...given)),
        })
      },
    }),
  }
}
