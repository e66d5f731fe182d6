import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { connectionParts, type DatabaseSecrets } from '@habeas/core'
import { type UrlWords, urlEncryption } from '@habeas/sql'

/** Where the server is and how to log in, as the secrets say. The settings are never logged and never part of a message. */
export interface ClientSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly schema: string
  readonly ssl: false | true | TlsOptions
}

/** Reads the settings from the secrets. `host` is empty where the secrets do not say where the server is. */
export function clientSettings(secrets: DatabaseSecrets, usual = { port: 5432 }): ClientSettings {
  const { host = '', port = usual.port, user = 'postgres', password = '', database = user } = connectionParts(secrets)
  const schema = secrets.db_schema ?? 'public'
  return { host, port, user, password, database, schema, ssl: tlsOptions(secrets) }
}

function tlsOptions({ ssl, url }: DatabaseSecrets): ClientSettings['ssl'] {
  if (ssl === undefined) return tlsOfUrl(url)
  if (typeof ssl === 'boolean') return ssl
  const { ca, cert, key, reject_unauthorized, server_name } = ssl
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(reject_unauthorized === undefined ? {} : { rejectUnauthorized: reject_unauthorized }),
    ...(server_name === undefined ? {} : { servername: server_name }),
  }
}

const words: UrlWords = {
  names: ['sslmode'],
  values: ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'],
}

/**
 * Returns what `sslmode` in a URL means. As in libpq, `require` encrypts and does not verify. Unlike there, nothing is tried twice:
 * `allow` and `prefer` mean no encryption, and `verify-ca` verifies the name as well.
 */
function tlsOfUrl(url: string | undefined): ClientSettings['ssl'] {
  switch (urlEncryption(url, words)) {
    case 'verify-ca':
    case 'verify-full':
      return true
    case 'require':
    case 'no-verify':
      return { rejectUnauthorized: false }
    default:
      return false
  }
}
