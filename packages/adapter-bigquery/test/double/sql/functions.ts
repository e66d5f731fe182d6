import { canonical, keyOf, refused, type Sql, scalarOf, toJson } from './values.js'

type Fn = (...args: Sql[]) => Sql

const strict =
  (fn: Fn): Fn =>
  (...args) =>
    args.includes(null) ? null : fn(...args)

const text = (value: Sql): string => {
  if (typeof value !== 'string') throw refused('No matching signature: expected STRING')
  return value
}
const json = (value: Sql): unknown => {
  if (typeof value !== 'object' || value === null || !('json' in value)) throw refused('expected JSON')
  return value.json
}
const jsonOf = (value: unknown): Sql => ({ type: 'json', json: canonical(value) })

/** The steps of a path: members by name, elements by position. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  const step = /\.([A-Za-z_]\w*)|\."((?:[^"\\]|\\.)*)"|\[(\d+)\]/y
  if (!path.startsWith('$')) throw refused('JSONPath must start with "$"')
  step.lastIndex = 1
  while (step.lastIndex < path.length) {
    const match = step.exec(path)
    if (!match) throw refused('Invalid JSONPath')
    steps.push(match[1] ?? (match[2] === undefined ? Number(match[3]) : JSON.parse(`"${match[2]}"`)))
  }
  return steps
}

/** Undefined where there is nothing. */
function at(value: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>((held, step) => {
    if (typeof step === 'number') return Array.isArray(held) ? held[step] : undefined
    const isObject = typeof held === 'object' && held !== null && !Array.isArray(held)
    return isObject && Object.hasOwn(held, step) ? (held as Record<string, unknown>)[step] : undefined
  }, value)
}

/** Values at paths, one after the other. Where there is nothing, nothing is set. */
function jsonSet(value: Sql, ...args: readonly Sql[]): Sql {
  if (value === null) return null
  // the last is create_if_missing
  if (args.at(-1) !== false) throw refused('create_if_missing is true')
  let document = json(value)
  for (let pair = 0; pair < args.length - 1; pair += 2) {
    const [steps, to] = [stepsOf(text(args[pair]!)), args[pair + 1]!]
    if (at(document, steps) !== undefined) document = changed(document, steps, to === null ? null : json(to))
  }
  return jsonOf(document)
}

function changed(value: unknown, [step, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (step === undefined) return to
  if (Array.isArray(value))
    return value.map((element, index) => (index === step ? changed(element, rest, to) : element))
  if (typeof value !== 'object' || value === null) return value
  const { [step]: held, ...others } = value as Record<string, unknown>
  if (rest.length === 0 && to === undefined) return others
  return { ...others, [step]: changed(held, rest, to) }
}

/** Functions of the language that the connector uses, as the service documents them. `if` and `error` are no functions here. */
export const functions: Readonly<Record<string, Fn>> = {
  '-': strict((one, other) => (one as bigint) - (other as bigint)),
  translate: strict((value, from, to) => {
    const [letters, others] = [text(from), text(to)]
    const replaced = (letter: string) => (letters.includes(letter) ? (others[letters.indexOf(letter)] ?? '') : letter)
    return [...text(value)].map(replaced).join('')
  }),
  trim: strict((value, signs) => {
    const set = new Set(text(signs))
    const all = [...text(value)]
    while (all.length > 0 && set.has(all[0]!)) all.shift()
    while (all.length > 0 && set.has(all.at(-1)!)) all.pop()
    return all.join('')
  }),
  rtrim: strict((value, signs) => {
    let rest = text(value)
    while (rest !== '' && text(signs).includes(rest.at(-1)!)) rest = rest.slice(0, -1)
    return rest
  }),
  strpos: strict((value, part) => BigInt(text(value).indexOf(text(part)) + 1)),
  starts_with: strict((value, part) => text(value).startsWith(text(part))),
  concat: strict((...parts) => parts.map(text).join('')),
  greatest: strict((one, other) => ((one as bigint) > (other as bigint) ? one! : other!)),
  ifnull: (value, otherwise) => value ?? otherwise ?? null,
  regexp_contains: strict((value, pattern) => new RegExp(text(pattern), 'u').test(text(value))),
  regexp_replace: strict((value, pattern, by) =>
    text(value).replace(new RegExp(text(pattern), 'gu'), text(by).replaceAll('\\', '$')),
  ),
  to_base64: strict((value) => (value as { text: string }).text),
  from_base64: strict((value) => scalarOf('BYTES', text(value))),
  to_json_string: (value) => JSON.stringify(toJson(value ?? null)),
  parse_json: strict((value, mode = 'exact') => {
    const long = text(value).match(/(?<!["\d.])-?\d{17,}/g) ?? []
    if (mode === 'exact' && long.some((digits) => !/^-?\d{1,20}$/.test(digits))) {
      throw refused('Invalid input: Input number cannot round-trip through string representation')
    }
    return jsonOf(JSON.parse(text(value)))
  }),
  json_query: strict((value, path) => {
    if (typeof value === 'object') {
      const held = at(json(value), stepsOf(text(path)))
      return held === undefined ? null : jsonOf(held)
    }
    const found = at(JSON.parse(text(value)), stepsOf(text(path)))
    // in a document that is text, null is NULL
    return found === undefined || found === null ? null : JSON.stringify(found)
  }),
  json_value: strict((value, path) => {
    const found = at(JSON.parse(text(value)), stepsOf(text(path)))
    return found === undefined || found === null || typeof found === 'object' ? null : String(found)
  }),
  json_query_array: strict((value, path) => {
    const found = at(JSON.parse(text(value)), stepsOf(text(path)))
    return Array.isArray(found) ? found.map((element) => JSON.stringify(element)) : null
  }),
  json_set: jsonSet,
  json_remove: strict((value, path) => jsonOf(changed(json(value), stepsOf(text(path)), undefined))),
}

/** A value in another type; undefined where it cannot be one. */
export function castTo(type: string, value: Sql): Sql | undefined {
  if (value === null) return null
  if (type === 'string') {
    if (typeof value === 'object') return keyOf(value).replace(/^\w+:/, '')
    return String(value)
  }
  if (type !== 'bignumeric') throw refused(`Unexpected cast to ${type}`)
  const digits = /^\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(text(value))?.[1]
  return digits === undefined ? undefined : scalarOf('BIGNUMERIC', digits.replace(/^\+/, ''))
}
