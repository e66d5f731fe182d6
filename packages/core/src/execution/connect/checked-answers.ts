import { PrivacyError } from '../../errors.js'
import type { Catalogue } from '../../model/catalogue.js'
import { nearestHint } from '../../model/nearest-key.js'
import type { Connection, Connector, Row } from '../../ports/connector.js'

const methods = ['ping', 'describe', 'read', 'count', 'close'] as const

/** Throws for a connection that lacks what every connection has. Its author may have written it without types. */
export function checkConnection(connection: Connection, { type, capabilities }: Connector): void {
  const members = (connection ?? {}) as unknown as Readonly<Record<string, unknown>>
  const { maxErased, fencing } = capabilities
  const further = [...(maxErased && members['erase'] ? ['countEach'] : []), ...(fencing ? ['endWrites'] : [])]
  const missing = [...methods, ...further].find((name) => typeof members[name] !== 'function')
  if (missing) throw malformed(type, `connect gives a connection without the method ${missing}`)
  const { concurrency } = members
  if (!Number.isSafeInteger(concurrency) || (concurrency as number) < 1)
    throw malformed(type, "'concurrency' of the connection must be a whole number of at least 1")
}

const lists = ['columns', 'primaryKey', 'uniqueKeys', 'foreignKeys', 'indexes'] as const

/** The catalogue, if it is one. */
export function checkedCatalogue(catalogue: Catalogue, type: string): Catalogue {
  const collections: unknown = (catalogue as Partial<Catalogue> | undefined)?.collections
  if (!Array.isArray(collections)) throw malformed(type, 'describe must resolve with { collections: [...] }')
  for (const collection of collections) {
    const name: unknown = collection?.name
    if (typeof name !== 'string') throw malformed(type, "describe gives a collection without a 'name'")
    const missing = lists.find((list) => !Array.isArray(collection[list]))
    if (missing) {
      const others = Object.keys(collection).filter((member) => member !== missing)
      const hint = nearestHint(missing, others).replace('the nearest known name', 'the nearest name it has')
      throw malformed(type, `describe gives the collection '${name}' without the list '${missing}'${hint}`)
    }
    if (collection.columns.some((column: { name?: unknown } | null) => typeof column?.name !== 'string'))
      throw malformed(type, `describe gives the collection '${name}' a column without a 'name'`)
  }
  return catalogue
}

/** The batches of a read, if they are batches of rows. */
export async function* checkedBatches(batches: ReturnType<Connection['read']>, type: string) {
  if (typeof batches?.[Symbol.asyncIterator] !== 'function')
    throw malformed(type, 'read must give batches one after the other, as an async generator does')
  for await (const batch of batches as AsyncIterable<unknown>) {
    if (!Array.isArray(batch) || batch.some((row) => !Array.isArray(row)))
      throw malformed(type, 'read must yield batches: lists of rows, where each row is a list of values')
    yield batch as readonly Row[]
  }
}

function malformed(type: string, message: string): PrivacyError {
  return new PrivacyError('connection_failed', `The connector '${type}' is not right: ${message}.`, {
    reason: 'malformed',
  })
}
