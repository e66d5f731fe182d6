import { PrivacyError } from '@habeas/core'

/** The secrets of a connection to a memory database. All are optional, and only the name has a meaning. */
export interface MemorySecrets {
  readonly database?: string
}

const known = ['host', 'port', 'user', 'username', 'password', 'url', 'database', 'dbname', 'db_schema', 'ssl']

/** Takes the same members as the secrets of a real database; rejects any other member, naming it and no value. */
export const parseMemorySecrets = (input: unknown): MemorySecrets => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new PrivacyError('invalid_input', 'Secrets of a memory database are an object: give them by name', {
      issues: [{ loc: [], msg: 'must be an object', type: 'invalid_type' }],
    })
  }
  const secrets = input as Record<string, unknown>
  const unknown = Object.keys(secrets).filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new PrivacyError('invalid_input', `Secrets of a memory database have no ${unknown.join(', ')}: remove it`, {
      issues: unknown.map((name) => ({ loc: [name], msg: 'is not known', type: 'unrecognized_key' })),
    })
  }
  const { database, dbname, url } = secrets
  const name =
    database ?? dbname ?? (typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname.slice(1) : undefined)
  return typeof name === 'string' && name !== '' ? { database: name } : {}
}
