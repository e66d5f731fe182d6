import { PrivacyError } from './errors.js'
import { isPlainObject } from './model/clean-input.js'
import { nearestHint } from './model/nearest-key.js'
import type { ConnectorCapabilities } from './ports/connector-capabilities.js'

const counts = 'a whole number of at least 1'
const flag = 'true or false'

const capabilities: Readonly<Record<keyof ConnectorCapabilities, typeof counts | typeof flag>> = {
  maxKeys: counts,
  maxKeysWithoutIndex: counts,
  maxKeyParts: counts,
  nestedFields: flag,
  maxErased: counts,
  transactions: flag,
  rowLocks: flag,
  enforcedKeys: flag,
  fencing: flag,
  sampled: flag,
  billedReads: flag,
}

const members = ['type', 'name', 'category', 'capabilities', 'secrets', 'secretsSchema', 'secretAliases', 'connect']

/** Throws `misconfigured`, naming the member, for what no connector can be made of. Authors may write without types. */
export function checkDefinition(definition: unknown): void {
  if (!isPlainObject(definition))
    throw refused('definition', 'must be an object with type, category, capabilities, secrets and connect')
  for (const name of Object.keys(definition))
    if (!members.includes(name)) throw refused(name, `is not known${nearestHint(name, members)}`)
  const { type, category, secrets, connect, capabilities: said } = definition
  if (typeof type !== 'string' || type === '') throw refused('type', 'must be text, such as crm')
  if (category !== 'database' && category !== 'saas') throw refused('category', 'must be database or saas')
  if (!isPlainObject(said)) throw refused('capabilities', 'must be an object with maxKeys and nestedFields')
  for (const [name, value] of Object.entries(said)) {
    const option = `capabilities.${name}`
    const allowed = Object.hasOwn(capabilities, name) && capabilities[name as keyof ConnectorCapabilities]
    if (!allowed) throw refused(option, `is not known${nearestHint(name, Object.keys(capabilities), ['capabilities'])}`)
    const isFit = allowed === flag ? typeof value === 'boolean' : Number.isSafeInteger(value) && (value as number) >= 1
    if (value !== undefined && !isFit) throw refused(option, `must be ${allowed}`)
  }
  if (said['maxKeys'] === undefined) throw refused('capabilities.maxKeys', `must be ${counts}`)
  if (said['nestedFields'] === undefined) throw refused('capabilities.nestedFields', `must be ${flag}`)
  if (typeof (secrets as { parse?: unknown } | undefined)?.parse !== 'function')
    throw refused('secrets', 'must be a zod schema, or an object with a method parse')
  if (typeof connect !== 'function') throw refused('connect', 'must be a function that resolves with a connection')
}

function refused(option: string, message: string): PrivacyError {
  return new PrivacyError('misconfigured', `'${option}' of defineConnector ${message}.`, { option })
}
