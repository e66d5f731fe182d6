import type { WireNames } from '../body-input.js'
import type { JsonSchema } from '../schema.js'

/** Names of the model whose form is not that of the wire. */
type Renamed<Model> = { [Name in keyof Model]-?: Name extends Lowercase<string & Name> ? never : Name }[keyof Model]

/** The names of the wire by those of the model. */
export type NamesOf<Names extends WireNames> = { readonly [Wire in keyof Names as Names[Wire]]: Wire }

/** An input of the model under the names of the wire. A member without a name in lower case is a type error. */
export type Sent<Model, Names extends Readonly<Record<Renamed<Model>, PropertyKey>>> = {
  [Name in keyof Model as Name extends keyof Names ? Names[Name] & PropertyKey : Name]: Model[Name]
}

/** The schema of an input under the names of the wire. */
export function sentUnder(names: WireNames, { properties, required, ...rest }: JsonSchema): JsonSchema {
  const wireNames = new Map(Object.entries(names).map(([wire, model]) => [model, wire]))
  const renamed = (name: string) => wireNames.get(name) ?? name
  const members = Object.entries(properties as JsonSchema).map(([name, member]) => [renamed(name), member])
  return { ...rest, properties: Object.fromEntries(members), required: (required as string[]).map(renamed) }
}
