import { PrivacyError } from '../../errors.js'
import type { Catalogue, CatalogueCollection, ForeignKey } from '../../model/catalogue.js'
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
  const names = new Set<string>()
  for (const collection of collections) {
    const name: unknown = collection?.name
    if (typeof name !== 'string') throw malformed(type, "describe gives a collection without a 'name'")
    if (names.has(name)) throw malformed(type, `describe gives two collections with the name '${name}'`)
    names.add(name)
    const missing = lists.find((list) => !Array.isArray(collection[list]))
    if (missing) {
      const others = Object.keys(collection).filter((member) => member !== missing)
      const hint = nearestHint(missing, others).replace('the nearest known name', 'the nearest name it has')
      throw malformed(type, `describe gives the collection '${name}' without the list '${missing}'${hint}`)
    }
    checkColumns(collection.columns, { type, within: name, around: [] })
    checkKeys(collection, type)
  }
  return catalogue
}

/** What names columns: keys, indexes and look-ups. */
function checkKeys(collection: CatalogueCollection, type: string) {
  const { name, columns, schemaless, primaryKey, uniqueKeys, foreignKeys, indexes, lookups = [] } = collection
  const isNames = (given: unknown) => Array.isArray(given) && given.every((each) => typeof each === 'string')
  const refused = (member: string, shape: string) =>
    malformed(type, `describe gives '${name}' ${member} that are no ${shape}`)
  const listed = { uniqueKeys, indexes }
  for (const [member, given] of Object.entries(listed))
    if (!given.every(isNames)) throw refused(`'${member}'`, "lists of names of columns, such as [['id']]")
  const isKey = ({ columns: from, references: to }: Partial<ForeignKey>) =>
    isNames(from) && typeof to?.collection === 'string' && isNames(to.columns)
  if (!foreignKeys.every((key) => isKey(key ?? {})))
    throw refused("'foreignKeys'", '{ name, columns: [...], references: { collection, columns: [...] }, onDelete }')
  const known = columns.map((column) => column.name)
  for (const [member, given] of Object.entries({ primaryKey, lookups })) {
    if (!isNames(given)) throw refused(`'${member}'`, 'list of names of columns')
    const other = given.find((column) => !known.includes(column))
    // documents may hold what no column tells
    if (other === undefined || schemaless) continue
    const why = `which is no column of it${nearestHint(other, known)}`
    throw malformed(type, `describe gives '${name}' the '${member}' '${other}', ${why}`)
  }
}

function checkColumns(
  columns: readonly unknown[],
  {
    type,
    within,
    around,
  }: { readonly type: string; readonly within: string; readonly around: readonly (readonly unknown[])[] },
) {
  if (around.includes(columns)) throw malformed(type, `describe gives '${within}' members that contain themselves`)
  const names = new Set<string>()
  for (const column of columns) {
    const { name, kind, members } = (column ?? {}) as Readonly<Record<string, unknown>>
    if (typeof name !== 'string') throw malformed(type, `describe gives '${within}' a column without a 'name'`)
    const path = `${within}.${name}`
    if (names.has(name)) throw malformed(type, `describe gives '${path}' twice`)
    names.add(name)
    if (kind !== undefined && !isValueKind(kind)) {
      const known = `leave it out, or name one of ${valueKinds.join(', ')}`
      throw malformed(
        type,
        `describe gives '${path}' the kind '${kind}', which is not known${nearestHint(String(kind), valueKinds)}: ${known}`,
      )
    }
    if (members === undefined) continue
    if (!Array.isArray(members)) throw malformed(type, `describe gives '${path}' members that are no list of columns`)
    checkColumns(members, { type, within: path, around: [...around, columns] })
  }
}

/** The failure of a connector that does not do what the port asks for. */
export function malformed(type: string, message: string): PrivacyError {
  return new PrivacyError('connection_failed', `The connector '${type}' is not right: ${message}.`, {
    reason: 'malformed',
  })
}
