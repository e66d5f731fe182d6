import type * as z from 'zod'

/** The input type of a schema: an optional member may also be null or undefined. */
export type InputOf<Schema extends z.ZodType> = Writable<z.input<Schema>>

type Writable<Value> = Value extends readonly (infer Item)[]
  ? readonly Writable<Item>[]
  : Value extends object
    ? {
        [Name in keyof Value]:
          | Writable<Value[Name]>
          | (Pick<Value, Name> extends Required<Pick<Value, Name>> ? never : null | undefined)
      }
    : Value

/**
 * A change of a document (RFC 7396): an omitted member stays, null clears it or restores the default, objects are
 * merged, lists are replaced whole.
 */
export type PatchOf<Input> = {
  readonly [Name in keyof Input]?: Change<Input[Name]> | null | undefined
}

type Change<Value> = Value extends readonly unknown[] ? Value : Value extends object ? PatchOf<Value> : Value
