import * as z from 'zod'

/** A name of the wire as the model writes it: `due_date` is `dueDate`. */
type Modeled<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Modeled<Tail>>}` : Name

/**
 * Types only: what of the model a schema of the wire describes. Declarations of the package name it.
 * @public
 */
export declare const model: unique symbol
export type Of<Model> = { readonly [model]: Model }

type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Member in keyof Value]: Frozen<Value[Member]> }
    : Value

/** The values of the model that become what a schema describes: null, an empty list and false stand for what is absent. */
type Taken<Schema> =
  Schema extends Of<infer Model>
    ? Model
    : Schema extends z.ZodNullable<infer Inner>
      ? Taken<Inner> | null | undefined
      : Schema extends z.ZodArray<infer Item>
        ? readonly Taken<Item>[] | undefined
        : Schema extends z.ZodBoolean
          ? boolean | undefined
          : Schema extends z.ZodObject
            ? never
            : Schema extends z.ZodType
              ? Frozen<z.output<Schema>>
              : never

/** Members of the wire that the model has under the same name, with values that fit. */
type Alike<Model, Shape> = {
  [Name in keyof Shape]: Modeled<Name> extends keyof Model
    ? Model[Modeled<Name>] extends Taken<Shape[Name]>
      ? Name
      : never
    : never
}[keyof Shape]

/** Functions for members that are not alike. They are required; other members may have one. */
type Made<Model, Details, Shape> = {
  readonly [Name in Exclude<keyof Shape, Alike<Model, Shape>>]: (from: Model, details: Details) => Taken<Shape[Name]>
} & {
  readonly [Name in Alike<Model, Shape>]?: (from: Model, details: Details) => Taken<Shape[Name]>
}

/** Members of the model that the wire does not have under the same name: each says where it is instead. */
type Elsewhere<Model, Shape> = { readonly [Name in Exclude<keyof Model, Modeled<keyof Shape>>]: string }

type Needed<Name extends string, Value> =
  Record<never, never> extends Value ? { readonly [Key in Name]?: Value } : { readonly [Key in Name]: Value }

type Exceptions<Model, Details, Shape> = Needed<'made', Made<Model, Details, Shape>> &
  Needed<'elsewhere', Elsewhere<Model, Shape>>

type Given<Value> = Record<never, never> extends Value ? [value?: Value] : [value: Value]

/** A record as it crosses the wire. */
export interface WireRecord<Model, Details, Shape extends z.ZodRawShape> {
  /** May stand in the shape of another record, whose model then has such a member. */
  readonly schema: z.ZodObject<Shape> & Of<Model>
  toWire(from: Model, ...details: Given<Details>): z.output<z.ZodObject<Shape>>
}

type Mapper = (value: unknown) => unknown

const mappers = new WeakMap<z.core.$ZodType, Mapper>()

/**
 * Describes how a record of the model crosses the wire, once: `shape` is its schema and says the order of its members. A
 * member of the model that is neither in it nor under `elsewhere` is a type error, and so is a member of the wire that
 * the model does not have, unless it is `made`.
 */
export function wireRecord<Model, Details = Record<never, never>>() {
  return <Shape extends z.ZodRawShape>(
    shape: Shape,
    ...[exceptions]: Given<Exceptions<Model, Details, Shape>>
  ): WireRecord<Model, Details, Shape> => {
    const made = (exceptions?.made ?? {}) as Readonly<Record<string, (from: Model, details: unknown) => unknown>>
    const members = Object.entries(shape).map(([name, schema]) => {
      const modeled = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) as keyof Model
      const read = Object.hasOwn(made, name) ? made[name] : undefined
      return { name, map: mapperOf(schema), read: read ?? ((from: Model) => from[modeled]) }
    })
    const map = (from: Model, details: unknown = {}) =>
      Object.fromEntries(members.map(({ name, map, read }) => [name, map(read(from, details))]))
    const schema = z.object(shape)
    mappers.set(schema, (value) => map(value as Model))
    return {
      schema: schema as typeof schema & Of<Model>,
      // Its types are those of `made` and of members that are alike.
      toWire: (from, ...[details]) => map(from, details) as z.output<z.ZodObject<Shape>>,
    }
  }
}

/** A schema of what `toWire` makes. */
export function madeBy<Schema extends z.ZodType, Model>(
  schema: Schema,
  toWire: (from: Model) => Frozen<z.output<Schema>>,
) {
  mappers.set(schema, (value) => toWire(value as Model))
  return schema as Schema & Of<Model>
}

/** A schema of what crosses the wire as it is. */
export function asItIs<Schema extends z.ZodType>(schema: Schema) {
  return madeBy(schema, (value: Frozen<z.output<Schema>>) => value)
}

/** Members of the model that callers do not see. */
export function notShown<const Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string>> {
  return Object.fromEntries(names.map((name) => [name, 'not shown'])) as Record<Name, string>
}

function mapperOf(schema: z.core.$ZodType): Mapper {
  const known = mappers.get(schema)
  if (known) return known
  if (schema instanceof z.ZodNullable) {
    const map = mapperOf(schema.unwrap())
    return (value) => (value === undefined || value === null ? null : map(value))
  }
  if (schema instanceof z.ZodArray) {
    const map = mapperOf(schema.element)
    return (list) => ((list ?? []) as readonly unknown[]).map(map)
  }
  if (schema instanceof z.ZodBoolean) return (value) => value === true
  return (value) => value
}
