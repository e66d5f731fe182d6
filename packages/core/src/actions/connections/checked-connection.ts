import { PrivacyError } from '../../errors.js'
import type { Catalogue } from '../../model/catalogue.js'
import { nearestHint } from '../../model/nearest-key.js'
import { isValueKind, valueKinds } from '../../model/value.js'
import type { Connection, Connector } from '../../ports/connector.js'

const methods = ['ping', 'describe', 'read', 'count', 'close'] as const

/** Throws for a connection that lacks what every connection has. Its author may have written it without types. */
export function checkConnection(connection: Connection, { type, capabilities }: Connector): void {
  const members = (connection ?? {}) as unknown as Readonly<Record<string, unknown>>
  const { maxErased, fencing } = capabilities
  if (members['erase'] !== undefined && maxErased === undefined) {
    const hint = "name 'maxErased', how many rows one call of erase takes, among its capabilities"
    throw malformed(type, `connect gives a connection with the method erase, and nothing says that it erases: ${hint}`)
  }
  const further = [...(maxErased ? ['erase', 'countEach'] : []), ...(fencing ? ['endWrites'] : [])]
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
    checkColumns(collection.columns, { type, within: name })
  }
  return catalogue
}

function checkColumns(
  columns: readonly unknown[],
  { type, within }: { readonly type: string; readonly within: string },
) {
  for (const column of columns) {
    const { name, kind, members } = (column ?? {}) as Readonly<Record<string, unknown>>
    if (typeof name !== 'string') throw malformed(type, `describe gives '${within}' a column without a 'name'`)
    const path = `${within}.${name}`
    if (kind !== undefined && !isValueKind(kind)) {
      const known = `leave it out, or name one of ${valueKinds.join(', ')}`
      throw malformed(
        type,
        `describe gives '${path}' the kind '${kind}', which is not known${nearestHint(String(kind), valueKinds)}: ${known}`,
      )
    }
    if (members === undefined) continue
    if (!Array.isArray(members)) throw malformed(type, `describe gives '${path}' members that are no list of columns`)
    checkColumns(members, { type, within: path })
  }
}

/** The failure of a connector that does not do what the port asks for. */
export function malformed(type: string, message: string): PrivacyError {
  return new PrivacyError('connection_failed', `The connector '${type}' is not right: ${message}.`, {
    reason: 'malformed',
  })
}
