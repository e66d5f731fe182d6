import type * as z from 'zod'
import type { Issue } from '../errors.js'
import { illFormedText, isWellFormedText } from './is-well-formed-text.js'
import { nearestHint } from './nearest-key.js'

/** A member of an outside value that was ignored, or read under another name. */
export interface Warning {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  /** In the answer of a manifest that was text: where it stands there, as with an `Issue`. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

type Location = readonly (string | number)[]

interface Cleaned {
  readonly value: unknown
  readonly warnings: Warning[]
  readonly issues: Issue[]
  /** What to add to the refusal of an unknown member, by its place as JSON. */
  readonly hints: ReadonlyMap<string, string>
}

const maxDepth = 64
/** A longer list hides more than it says. */
const mostListed = 12

/**
 * Copies an outside value for its schema. Null and undefined members are dropped (null means absent), and so are
 * members in `readOnly` at the root. Members that an open object does not know become warnings. Unknown members of
 * strict objects stay, so that the schema refuses them; `hints` names the nearest known ones, or all. Text that a storage may not take is an issue anywhere.
 */
export function cleanInput(schema: z.ZodType, input: unknown, readOnly: ReadonlySet<string>): Cleaned {
  const warnings: Warning[] = []
  const issues: Issue[] = []
  const hints = new Map<string, string>()
  const open = new Set<unknown>()

  function visit(schema: z.ZodType | undefined, value: unknown, loc: Location): unknown {
    if (typeof value === 'string' && !isWellFormedText(value)) {
      issues.push({ loc, msg: illFormedText, type: 'ill_formed_text' })
    }
    if (!Array.isArray(value) && !isPlainObject(value)) return value
    if (loc.length > maxDepth || open.has(value)) {
      issues.push({ loc: loc.slice(0, 1), msg: `must not be nested deeper than ${maxDepth} levels`, type: 'too_deep' })
      return undefined
    }
    open.add(value)
    const inner = schema && resolve(schema, value)
    const copy = Array.isArray(value) ? visitList(inner, value, loc) : visitObject(inner, value, loc)
    open.delete(value)
    return copy
  }

  function visitList(schema: z.ZodType | undefined, list: unknown[], loc: Location): unknown[] {
    const element = is(schema, 'array') ? (schema.element as z.ZodType) : undefined
    return list.map((item, index) => visit(element, item, [...loc, index]))
  }

  function visitObject(schema: z.ZodType | undefined, object: Record<string, unknown>, loc: Location) {
    const shape = is(schema, 'object') ? (schema.shape as Record<string, z.ZodType>) : undefined
    const catchall = is(schema, 'object') ? schema.def.catchall?._zod.def.type : 'unknown'
    const valueSchema = is(schema, 'record') ? (schema.valueType as z.ZodType) : undefined
    const copy: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(object)) {
      const place = [...loc, name]
      if (name === '__proto__' || (name === 'toString' && loc.includes('length'))) {
        // Zod compares the `length` of every value that has one, even if it is neither text nor list. It must be
        // comparable.
        issues.push({ loc: place, msg: 'is a name that is not allowed', type: 'forbidden_name' })
        continue
      }
      if (!isWellFormedText(name)) {
        // The issue does not repeat the name, since a program that shows it may not take it either.
        issues.push({ loc, msg: `has a member whose name ${illFormedText}`, type: 'ill_formed_text' })
        continue
      }
      if (member === undefined) continue
      const known = shape && Object.hasOwn(shape, name) ? shape[name] : undefined
      if (known) {
        if (member !== null || acceptsNull(known)) copy[name] = visit(known, member, place)
      } else if (loc.length === 0 && readOnly.has(name)) {
      } else if (shape && catchall === undefined) {
        warnings.push({ loc: place, msg: `is not known here and was ignored${nearestHint(name, Object.keys(shape))}` })
      } else {
        if (shape) hints.set(JSON.stringify(place), nearestHint(name, Object.keys(shape)) || knownNames(shape))
        copy[name] = visit(valueSchema, member, place)
      }
    }
    return copy
  }

  return { value: visit(schema, input, []), warnings, issues, hints }
}

/** Lists what a strict object knows, as the end of a message. */
function knownNames(shape: object): string {
  const names = Object.keys(shape)
  return names.length === 0 || names.length > mostListed ? '' : ` (known: ${names.join(', ')})`
}

/** Whether a value is a plain object: neither a list nor an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

interface Kinds {
  object: z.ZodObject
  array: z.ZodArray
  record: z.ZodRecord
}

function is<Kind extends keyof Kinds>(schema: z.ZodType | undefined, kind: Kind): schema is Kinds[Kind] {
  return schema?.def.type === kind
}

/** The parts of zod's definitions that this file reads. */
interface Definition {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly getter?: () => z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly values?: readonly unknown[]
}

const definition = (schema: z.ZodType) => schema.def as unknown as Definition

/** The schema inside wrappers. For a union, the option whose kind and literal members the value has. */
function resolve(schema: z.ZodType, value: unknown): z.ZodType | undefined {
  const { innerType, in: input, getter, options } = definition(schema)
  if (options) {
    const option = options.find((candidate) => fits(resolve(candidate, value), value))
    return option && resolve(option, value)
  }
  const inner = innerType ?? input ?? getter?.()
  return inner ? resolve(inner, value) : schema
}

function fits(schema: z.ZodType | undefined, value: unknown): boolean {
  if (Array.isArray(value)) return is(schema, 'array')
  if (is(schema, 'record')) return true
  if (!is(schema, 'object')) return false
  return Object.entries(schema.shape as Record<string, z.ZodType>).every(([name, member]) => {
    const { values } = definition(member)
    return values === undefined || values.includes((value as Record<string, unknown>)[name])
  })
}

function acceptsNull(schema: z.ZodType): boolean {
  const { type, innerType } = definition(schema)
  return type === 'nullable' || (innerType !== undefined && acceptsNull(innerType))
}
