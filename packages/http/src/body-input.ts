import { type Issue, invalidInput, isPlainObject, isPrivacyError, PrivacyError, type Warning } from '@habeas/core'

/** Members under their name on the wire, each with its name in the model. */
export type WireNames = Readonly<Record<string, string>>

/** A body under the names of the model. `locate` turns a place in it into the place that the caller wrote. */
export interface BodyInput {
  readonly input: unknown
  locate(loc: Issue['loc']): Issue['loc']
}

/**
 * Brings the members of an object from the wire under their names in the model. A member that has the model's
 * name is unknown on the wire. It gets a name that the model does not know, and errors call it by the name that was sent.
 */
export function fromWire(body: unknown, names: WireNames): BodyInput {
  const modelNames = new Set(Object.values(names).filter((name) => !Object.hasOwn(names, name)))
  const written = new Map<string, string>()
  if (!isPlainObject(body)) return asSent(body)
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body)) {
    const renamed = Object.hasOwn(names, name) ? (names[name] as string) : modelNames.has(name) ? `${name} ` : name
    if (renamed !== name) written.set(renamed, name)
    input[renamed] = value
  }
  for (const [wire, model] of Object.entries(names)) if (!written.has(model)) written.set(model, wire)
  return {
    input,
    locate: ([first, ...rest]) => (first === undefined ? [] : [written.get(String(first)) ?? first, ...rest]),
  }
}

/** A body whose members are called on the wire what the model calls them. */
export function asSent(input: unknown): BodyInput {
  return { input, locate: (loc) => loc }
}

/**
 * Runs an action on a body and tells every place as the caller wrote it: below `loc`, under the names of the wire. Every
 * action of the service checks its input itself: what has the type `never` may be given to any of them.
 */
export async function withBody<Result>(
  what: string,
  { input, locate }: BodyInput,
  act: (input: never) => Promise<Result>,
  loc: Issue['loc'] = ['body'],
): Promise<Result> {
  try {
    return await act(input as never)
  } catch (error) {
    if (!isPrivacyError(error, 'invalid_input')) throw error
    const located = error.details.issues.map(({ loc, msg, ...issue }) => ({
      ...placed({ loc, msg }, locate),
      ...issue,
    }))
    const issues = located.map((issue) => ({ ...issue, loc: [...loc, ...issue.loc] }))
    throw new PrivacyError('invalid_input', invalidInput(what, located).message, { issues }, { cause: error })
  }
}

/** Warnings at their places on the wire. */
export function wireWarnings(warnings: readonly Warning[], { locate }: Pick<BodyInput, 'locate'>): Warning[] {
  return warnings.map((warning) => placed(warning, locate))
}

/** A place and what is said of it, with the names of the wire. */
function placed({ loc, msg }: Warning, locate: BodyInput['locate']): Warning {
  const hint = "the nearest known name is '"
  const from = msg.indexOf(hint) + hint.length
  const nearest = msg.slice(from, -1)
  const isAtRoot = loc.length === 1 && msg.includes(hint)
  return { loc: [...locate(loc)], msg: isAtRoot ? `${msg.slice(0, from)}${String(locate([nearest])[0])}'` : msg }
}
