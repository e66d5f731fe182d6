import * as z from 'zod'

/** Properties that together identify one person. The datasets choose their names. */
export type Identity = Readonly<Record<string, string | number | boolean>>

const identityLimits = { objects: 50, properties: 20, nameLength: 128, valueLength: 1_000 }

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N}_ .:-]*$/u
const nameMessage = `has a property whose name is not 1 to ${identityLimits.nameLength} letters, digits, "_", ".", ":", "-" or inner blanks`

function isPropertyName(name: string): boolean {
  return namePattern.test(name) && name.trim() === name && name.length <= identityLimits.nameLength && !(name in {})
}

/** Describes the fault of a value without repeating it. */
function faultOf(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'must be a finite number'
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'is too large to be exact: write it as text'
    return undefined
  }
  if (typeof value !== 'string') return 'must be text, a number, true or false'
  if (value.trim() === '') return 'must not be blank'
  if (value.length > identityLimits.valueLength) return `must have at most ${identityLimits.valueLength} characters`
  return undefined
}

/**
 * One identity object. It refuses nested values, null, blank text and inexact numbers, since these could match a row by
 * mistake. A message does not repeat a bad property name, because it may be a misplaced value.
 */
export const identitySchema: z.ZodType<Identity, Identity> = z
  .record(z.string(), z.any())
  .superRefine((identity, context) => {
    const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    const properties = Object.entries(identity)
    if (properties.length === 0) fault([], 'must have at least one property')
    if (properties.length > identityLimits.properties) {
      fault([], `must have at most ${identityLimits.properties} properties`)
    }
    if (!properties.every(([name]) => isPropertyName(name))) fault([], nameMessage)
    for (const [name, value] of properties) {
      const message = isPropertyName(name) && faultOf(value)
      if (message) fault([name], message)
    }
  })

/** Identity objects are alternatives: a request covers the data that any of them leads to. */
export const identitiesSchema = z.array(identitySchema).min(1).max(identityLimits.objects)

/** The subject in one of two forms: `identities`, or one `identity`. Check it with `identityFaults`. */
export const identitiesShape = {
  identities: identitiesSchema.exactOptional(),
  identity: identitySchema.exactOptional(),
}

type GivenIdentities = { readonly identities?: readonly Identity[]; readonly identity?: Identity }

/** The faults of the given forms: none is given, or both are. */
export function identityFaults({ identity, identities }: GivenIdentities) {
  if (identity === undefined && identities === undefined) {
    return [{ path: 'identities', message: 'is required', type: 'missing' }]
  }
  const both = identity !== undefined && identities !== undefined
  return both
    ? [{ path: 'identity', message: 'must not be given together with identities', type: 'invalid_value' }]
    : []
}

/** The identity objects of either form. */
export function identitiesOf({ identity, identities }: GivenIdentities): readonly Identity[] {
  return identity ? [identity] : (identities ?? [])
}
