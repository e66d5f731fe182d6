import { readFileSync } from 'node:fs'
import { PrivacyError } from './errors.js'
import { isPlainObject } from './model/clean-input.js'
import { nearestKey } from './model/nearest-key.js'
import { readYaml } from './model/read-yaml.js'
import { findOptionProblem, type PrivacyServiceOptions } from './options.js'
import { type Setting, settings } from './settings.js'

export interface LoadOptions extends PrivacyServiceOptions {
  /** YAML or JSON with the specification's names, in any case. */
  readonly file?: string | URL | undefined
  /** Default: `process.env`; `{}` reads none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** A setting that was found, and its place, as a message begins. */
interface Found {
  readonly setting: Setting
  readonly value: unknown
  readonly origin: string
}

/**
 * Options for `createPrivacyService` from a configuration file and the environment, which wins over the file. Explicit
 * options win over both. Throws `misconfigured` naming the variable, or the file and the place in it.
 */
export function loadOptions({ file, env = process.env, ...explicit }: LoadOptions = {}): PrivacyServiceOptions {
  const options: Record<string, unknown> = {}
  const origins = new Map<string, string>()
  for (const { setting, value, origin } of [...(file === undefined ? [] : readFile(file)), ...readEnvironment(env)]) {
    place(options, setting.option, value)
    origins.set(setting.option, origin)
  }
  for (const [option, value] of Object.entries(explicit).flatMap(([name, value]) => flatten(name, value))) {
    place(options, option, value)
    origins.delete(option)
  }
  const problem = findOptionProblem(options)
  if (problem) {
    const { option, message } = problem
    const variable = settings.find((setting) => setting.option === option)?.variables[0]
    const otherwise = `Option '${option}' of loadOptions${variable ? ` (in the environment ${variable})` : ''}`
    throw misconfigured(option, `${origins.get(option) ?? otherwise} ${message}.`)
  }
  return options
}

const misconfigured = (option: string, message: string, cause?: unknown) =>
  new PrivacyError('misconfigured', message, { option }, { cause })

/** Sections are merged, so that one option of a section leaves its others as they were read. */
function flatten(name: string, value: unknown): [option: string, value: unknown][] {
  if (value === undefined) return []
  const isSection = settings.some(({ option }) => option.startsWith(`${name}.`))
  if (!isSection || !isPlainObject(value)) return [[name, value]]
  return Object.entries(value).flatMap(([inner, member]) => flatten(`${name}.${inner}`, member))
}

function place(options: Record<string, unknown>, option: string, value: unknown): void {
  const [section, name] = option.split('.') as [string, string?]
  if (name === undefined) options[section] = value
  else options[section] = { ...(options[section] as object | undefined), [name]: value }
}

function readEnvironment(env: NonNullable<LoadOptions['env']>): Found[] {
  const known = new Set(settings.flatMap(({ variables }) => variables))
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith('HABEAS__') || known.has(variable)) continue
    throw misconfigured(variable, `The variable ${variable} is not known. ${nearest(variable, known)}`)
  }
  return settings.flatMap((setting) => {
    // Compose files and shells pass unset variables on as empty text.
    const variable = setting.variables.find((name) => env[name])
    return variable ? [found(setting, env[variable], `The variable ${variable}`)] : []
  })
}

function readFile(file: string | URL): Found[] {
  const title = `The configuration file '${file}'`
  const reading = readYaml(textOf(file))
  if ('problem' in reading) {
    const { line, column, problem } = reading
    throw misconfigured(
      'file',
      `${title} cannot be read as YAML or JSON at line ${line}, column ${column}: ${problem}.`,
    )
  }
  if (!isPlainObject(reading.value)) throw misconfigured('file', `${title} must have names with values at its top.`)

  const names = settings.map(({ name }) => name)
  const sections = new Set(names.flatMap((name) => (name.includes('.') ? [name.replace(/\..*/, '')] : [])))
  const seen = new Set<string>()

  function read(value: unknown, place: string): Found[] {
    const name = place.toLowerCase()
    const refuse = (message: string) => misconfigured('file', `${title}: '${place}' ${message}`)
    if (seen.has(name)) throw refuse('is given twice, in different case.')
    seen.add(name)
    if (sections.has(name)) {
      if (value === null) return []
      if (!isPlainObject(value)) throw refuse('must be a section with names and values.')
      return Object.entries(value).flatMap(([inner, member]) => read(member, `${place}.${inner}`))
    }
    const setting = settings.find((candidate) => candidate.name === name)
    if (!setting) throw refuse(`is not known. ${nearest(name, [...sections, ...names])}`)
    return value === null ? [] : [found(setting, value, `${title}: '${place}'`)]
  }

  return Object.entries(reading.value).flatMap(([name, value]) => read(value, name))
}

function textOf(file: string | URL): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read${code ? ` (${code})` : ''}`
    throw misconfigured('file', `Option 'file' of loadOptions names '${file}', which ${reason}.`, error)
  }
}

const nearest = (name: string, known: Iterable<string>) => `The nearest known name is ${nearestKey(name, known)}.`

const flags = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

/** The value as the option takes it. An error names the setting without its value, which may be a misplaced secret. */
function found(setting: Setting, raw: unknown, origin: string): Found {
  const value = readers[setting.kind](raw)
  if (value !== undefined) return { setting, value, origin }
  throw misconfigured(setting.option, `${origin} must be ${allowed[setting.kind]}.`)
}

const allowed: Readonly<Record<Setting['kind'], string>> = {
  flag: 'true or false (or 1, 0, yes, no, on, off)',
  number: 'a number, such as 60 or 0.5',
  text: 'text: put it in quotes',
}

const readers: Readonly<Record<Setting['kind'], (raw: unknown) => unknown>> = {
  flag: (raw) => (typeof raw === 'object' ? undefined : flags.get(String(raw).toLowerCase())),
  number: (raw) =>
    typeof raw === 'string'
      ? /^-?\d+(\.\d+)?$/.test(raw)
        ? Number(raw)
        : undefined
      : typeof raw === 'number'
        ? raw
        : undefined,
  text: (raw) => (typeof raw === 'string' ? raw : undefined),
}
