import { ownersOf, type World, type WorldReference, type WorldTable } from './world.js'
import type { WorldShape } from './world-shape.js'

/* A world as a person reads it who wants to know what went wrong in it. */

function toldReference({ columns, to, toColumns, role, said, nullable, onDelete, neutral }: WorldReference): string {
  const names = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  return [
    `  ${names} -> ${to}(${toColumns.join(', ')}): ${role}, said ${said}`,
    nullable ? 'nullable' : 'not null',
    ...(onDelete ? [`on delete ${onDelete}`] : []),
    ...(neutral ? ['a name that says nothing'] : []),
  ].join(', ')
}

function toldTable(table: WorldTable): string[] {
  const { dataset, name, kind, said, key, keyed, owner, identities, targeted, special, onShared, others, deletes } =
    table
  return [
    [
      `${dataset}:${name} (${kind}, ${said === 'no' ? 'not described' : said})`,
      `key ${key.map((part) => `${part.name} ${part.type}`).join(', ')}${keyed ? '' : ' (not declared)'}`,
      ...(owner ? [`owner [${owner.join(', ')}]`] : []),
      ...Object.entries(identities).map(([column, property]) => `${column} is identity ${property}`),
      ...(targeted ? [] : ['no categories']),
      ...(special ? [special] : []),
      ...(onShared === 'erase' ? ['on_shared erase'] : []),
      ...(others ? ['others'] : []),
      ...(deletes ? ['deletes'] : []),
    ].join('; '),
    ...table.references.map(toldReference),
  ]
}

/** Tables, what is said of them, and their rows, each with the persons it belongs to in truth; 0 is the subject. */
export function tellWorld(world: World, { change, accepts }: Pick<WorldShape, 'change' | 'accepts'>): string {
  const owners = ownersOf(world, world.rows)
  const { declared, complete, second, store, identities } = world
  return [
    `${store}; ${declared ? "ownership 'declared'" : 'ownership inferred'}; ${complete ? 'all is said' : 'partly said'}; dataset b is ${second}`,
    `asks: ${JSON.stringify(identities)}${accepts ? ', all accepted' : ''}`,
    `meanwhile: ${JSON.stringify(change ?? 'nothing')}`,
    ...world.tables.flatMap((table) => [
      ...toldTable(table),
      ...[...world.rows.values()]
        .filter((row) => row.table === table.name)
        .map(({ id, values }) => {
          const { row_tag: _, note: __, remark: ___, ...rest } = values
          return `    ${id} of [${[...(owners.get(id) ?? [])].join(', ')}] ${JSON.stringify(rest)}`
        }),
    ]),
  ].join('\n')
}
