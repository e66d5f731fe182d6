import type { Blobs, Connection, Connector, Mailer, RowKind, Storage, Table, Write } from '@habeas/core'

/** Told of each place at which a process may die, and waited for. */
export type Reached = (step: string) => Promise<void>

const writes = ['insert', 'insertMany', 'replace', 'take'] as const

/**
 * Ports that tell where they are: every moment between two changes that last has a name. The product knows nothing of
 * it, so that what is tested is what runs.
 */
export function stepping(reached: Reached) {
  return {
    storage: (storage: Storage) => steppingStorage(storage, reached),

    blobs: (blobs: Blobs): Blobs => ({
      ...blobs,
      async write(key, bytes) {
        const name = `blob ${kindOf(key)}`
        await reached(`${name}: before it is written`)
        await blobs.write(
          key,
          halfway(bytes, () => reached(`${name}: half written`)),
        )
        await reached(`${name}: written`)
      },
      async delete(prefix) {
        const name = `blob ${kindOf(prefix)}`
        await reached(`${name}: before it is deleted`)
        await blobs.delete(prefix)
        await reached(`${name}: deleted`)
      },
    }),

    mailer: (mailer: Mailer): Mailer => ({
      async send(mail) {
        await reached(`mail ${mail.kind}: before it is sent`)
        await mailer.send(mail)
        await reached(`mail ${mail.kind}: sent`)
      },
    }),

    connector: (connector: Connector): Connector => ({
      ...connector,
      async connect(secrets) {
        const connection = await connector.connect(secrets)
        return steppingConnection(connection, reached)
      },
    }),
  }
}

function steppingConnection(connection: Connection, reached: Reached): Connection {
  const { countEach, erase, endWrites } = connection
  return {
    ...(countEach && { countEach: (read, options) => countEach.call(connection, read, options) }),
    ...(erase && {
      async erase(batch, options) {
        if (options?.rollBack) return erase.call(connection, batch, options)
        await reached(`${batch.collection}: before it is erased`)
        const { fence } = options ?? {}
        const confirm = async () => {
          await fence?.confirm()
          await reached(`${batch.collection}: before the commit of what is erased`)
        }
        await erase.call(connection, batch, { ...options, ...(fence && { fence: { ...fence, confirm } }) })
        await reached(`${batch.collection}: erased`)
      },
    }),
    ...(endWrites && { endWrites: (lock, options) => endWrites.call(connection, lock, options) }),
    concurrency: connection.concurrency,
    ping: (options) => connection.ping(options),
    count: (counts, options) => connection.count(counts, options),
    close: () => connection.close(),
    async describe(options) {
      const catalogue = await connection.describe(options)
      await reached('described')
      return catalogue
    },
    async *read(read, options) {
      await reached(`${read.collection}: before it is read`)
      for await (const batch of connection.read(read, options)) {
        yield batch
        await reached(`${read.collection}: in the middle`)
      }
      await reached(`${read.collection}: read`)
    },
  }
}

function steppingStorage(storage: Storage, reached: Reached): Storage {
  const { writeAll } = storage
  return {
    ...storage,
    ...(writeAll && {
      async writeAll(writes) {
        const name = namesOf(writes).join(' + ')
        await reached(`${name}: before the commit`)
        const result = await writeAll.call(storage, writes)
        await reached(`${name}: committed`)
        return result
      },
    }),
    table: <Kind extends RowKind>(kind: Kind) =>
      withWrites(storage.table(kind), kind, async (name, write) => {
        const result = await write()
        await reached(`${name}: done`)
        return result
      }),
    async transaction(work) {
      let name = ''
      const result = await storage.transaction(async (within) => {
        const names: string[] = []
        const result = await work(noted(within, names))
        name = names.join(' + ')
        if (name !== '') await reached(`${name}: before the commit`)
        return result
      })
      if (name !== '') await reached(`${name}: committed`)
      return result
    },
  }
}

/** The log goes along with other writes, whenever something waits to be logged. */
function namesOf(writes: readonly Write[]): string[] {
  const named = writes.length > 2 ? writes.filter(({ kind }) => kind !== 'executionLog') : writes
  return named.map(({ kind, ...write }) => `${kind}.${Object.keys(write)[0]}`)
}

function noted(storage: Storage, names: string[]): Storage {
  return {
    ...storage,
    table: <Kind extends RowKind>(kind: Kind) =>
      withWrites(storage.table(kind), kind, (name, write) => {
        names.push(name)
        return write()
      }),
    transaction: (work) => storage.transaction((within) => work(noted(within, names))),
  }
}

function withWrites<Kind extends RowKind>(
  table: Table<Kind>,
  kind: Kind,
  around: <Result>(name: string, write: () => Promise<Result>) => Promise<Result>,
): Table<Kind> {
  const wrapped = writes.map((method) => {
    const call = table[method] as (...parameters: unknown[]) => Promise<unknown>
    return [method, (...parameters: unknown[]) => around(`${kind}.${method}`, () => call(...parameters))]
  })
  return { ...table, ...Object.fromEntries(wrapped) }
}

/** What lies under a key, whatever request it is of. */
function kindOf(key: string): string {
  return key.split('/').slice(3).join('/') || 'all of a run'
}

/** Where a first chunk was taken, and nothing says whether more will come. */
async function* halfway(bytes: AsyncIterable<Uint8Array>, reached: () => Promise<void>): AsyncIterable<Uint8Array> {
  let isFirst = true
  for await (const chunk of bytes) {
    yield chunk
    if (isFirst) await reached()
    isFirst = false
  }
}
