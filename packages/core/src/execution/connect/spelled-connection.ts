import type { Connection, CountEach, Erase, KeyGroup, Read, Row, SpelledKey } from '../../ports/connector.js'
import { spelledPart } from '../../rules/plan/spelled-column.js'

/**
 * A connection that accepts spelled columns like other columns. It asks the connector for them in the terms of the port, and
 * puts their values in the place of the columns.
 */
export function spelledConnection(connection: Connection): Connection {
  const { countEach, estimate, erase, endWrites } = connection
  return {
    get concurrency() {
      return connection.concurrency
    },
    lacks: () => connection.lacks?.() ?? [],
    ping: (options) => connection.ping(options),
    describe: (options) => connection.describe(options),
    async *read(read, options) {
      const { places, ...asked } = withKeys(read)
      if (!places) return yield* connection.read(asked, options)
      for await (const rows of connection.read(asked, options))
        yield rows.map((row): Row => places.map((place) => row[place]))
    },
    count: (counts, options) =>
      connection.count(
        counts.map(({ anyOf, noneOf, ...counted }) => ({
          ...counted,
          anyOf: anyOf.map(spelledGroup),
          ...(noneOf && { noneOf: noneOf.map(spelledGroup) }),
        })),
        options,
      ),
    ...(countEach && {
      countEach: (counted, options) => countEach.call(connection, spelledCount(counted), options),
    }),
    ...(estimate && { estimate: (asked, options) => estimate.call(connection, asked, options) }),
    ...(erase && {
      erase: (batch, options) => erase.call(connection, spelledErase(batch), options),
    }),
    ...(endWrites && { endWrites: (lock, options) => endWrites.call(connection, lock, options) }),
    close: () => connection.close(),
  }
}

function spelledErase({ pointers, ...batch }: Erase): Erase {
  return {
    ...batch,
    anyOf: batch.anyOf.map(spelledGroup),
    ...(pointers && { pointers: pointers.map(({ count, most }) => ({ count: spelledCount(count), most })) }),
  }
}

/** A spelled key is the server's own text of the key, so the references need no further comparison. */
function spelledCount({ references, ...counted }: CountEach): CountEach {
  const group = spelledGroup(counted.group)
  return { ...counted, group, ...(references && !group.spelledAs && { references }) }
}

/** The read with spelled keys next to its columns, and the place of each of its columns in a row. */
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

/** The group in the terms of the port, with its parts in the order of the foreign key. */
function spelledGroup(group: KeyGroup): KeyGroup {
  const parts = group.fields.flatMap(({ path }, at) => {
    const found = spelledPart(path[0])
    return found ? [{ ...found, at }] : []
  })
  const [first] = parts
  if (!first) return group
  parts.sort((one, other) => one.part - other.part)
  const { columns, as } = first.key
  return {
    ...(group.when && { when: group.when }),
    fields: columns.map((column) => ({ path: [column] })),
    spelledAs: as,
    get values() {
      const { values } = group
      return parts.map(({ at }) => values[at] as (typeof values)[number])
    },
  }
}
