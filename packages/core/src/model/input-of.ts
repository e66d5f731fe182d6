import type * as z from 'zod'

/** What a caller may write where a schema reads: a member that may be left out may be null or undefined as well. */
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
 * A change of a document (RFC 7396): what is left out stays, null goes back to the default or clears, objects are
 * merged, lists are replaced as a whole.
 */
export type PatchOf<Input> = {
  readonly [Name in keyof Input]?: Change<Input[Name]> | null | undefined
}

type Change<Value> = Value extends readonly unknown[] ? Value : Value extends object ? PatchOf<Value> : Value
