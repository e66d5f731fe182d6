import type { Connection, KeyGroup, Read, Row, SpelledKey } from '../ports/connector.js'
import { spelledPart } from '../rules/spelled-columns.js'

/** A connection that takes spelled columns for columns: it asks for them as the port has it, and puts them in their places. */
export function spelledConnection(connection: Connection): Connection {
  const { countEach, erase } = connection
  return {
    get concurrency() {
      return connection.concurrency
    },
    ping: (options) => connection.ping(options),
    describe: (options) => connection.describe(options),
    async *read(read, options) {
      const asked = withKeys(read)
      const { places, ...plain } = asked
      if (!places) return yield* connection.read(plain, options)
      for await (const rows of connection.read(plain, options))
        yield rows.map((row): Row => places.map((place) => row[place]))
    },
    count: ({ collection, anyOf }, options) =>
      connection.count({ collection, anyOf: anyOf.map(spelledGroup) }, options),
    ...(countEach && {
      countEach: ({ references, ...read }, options) => {
        const group = spelledGroup(read.group)
        return countEach.call(
          connection,
          { ...read, group, ...(references && !group.spelledAs && { references }) },
          options,
        )
      },
    }),
    ...(erase && {
      erase: (batch, options) => erase.call(connection, { ...batch, anyOf: batch.anyOf.map(spelledGroup) }, options),
    }),
    close: () => connection.close(),
  }
}

/** The read with keys beside its columns, and the place of each of its columns in a row. */
function withKeys(read: Read): Read & { readonly places?: readonly number[] } {
  const anyOf = read.anyOf.map(spelledGroup)
  const parts = read.columns.map(spelledPart)
  if (parts.every((part) => part === undefined)) return { ...read, anyOf }
  const columns = read.columns.filter((_, at) => parts[at] === undefined)
  const known = new Map<string, number>()
  const spelled: SpelledKey[] = []
  let width = columns.length
  let own = 0
  const places = parts.map((found) => {
    if (!found) return own++
    const name = JSON.stringify(found.key)
    if (!known.has(name)) {
      known.set(name, width)
      width += found.key.columns.length
      spelled.push(found.key)
    }
    return (known.get(name) as number) + found.part
  })
  return { ...read, columns, anyOf, spelled, places }
}

function spelledGroup(group: KeyGroup): KeyGroup {
  const parts = group.fields.map(({ path }) => spelledPart(path[0]))
  const [first] = parts
  if (!first) return group
  const fields = parts.map((found) => ({ path: [found?.key.columns[found.part] as string] }))
  return {
    ...(group.when && { when: group.when }),
    ...{
      fields,
      spelledAs: { ...first.key.as, columns: parts.map((found) => found?.key.as.columns[found.part] as string) },
    },
    get values() {
      return group.values
    },
  }
}
