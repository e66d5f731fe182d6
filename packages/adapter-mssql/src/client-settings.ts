import { connectionParts, type DatabaseSecrets } from '@habeas/core'
import { type UrlWords, urlEncryption } from '@habeas/sql'

/** Where the server is and how to log in, as the secrets say. The settings are never logged and never part of a message. */
export interface ClientSettings {
  /** Empty where the secrets do not say where the server is. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Empty where the secrets lack it. */
  readonly database: string
  readonly schema: string
  readonly tls: TlsSettings
  /** Whether the secrets hold a URL. */
  readonly fromUrl: boolean
}

/** How the connection is encrypted. */
export interface TlsSettings {
  /** False where a server without encryption is spoken to all the same. */
  readonly required: boolean
  /** Whether the certificate has to be one of a known authority, made out to the host. */
  readonly verifies: boolean
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** The name that the certificate is made out to, where that is not the host. */
  readonly serverName?: string
}

/** Reads the settings from the secrets. */
export function clientSettings(secrets: DatabaseSecrets): ClientSettings {
  const { host = '', port = 1433, user = '', password = '', database = '' } = connectionParts(secrets)
  const schema = secrets.db_schema || 'dbo'
  return { host, port, user, password, database, schema, tls: tlsOf(secrets), fromUrl: secrets.url !== undefined }
}

function tlsOf({ ssl, url }: DatabaseSecrets): TlsSettings {
  if (ssl === undefined) return tlsOfUrl(url)
  if (typeof ssl === 'boolean') return { required: ssl, verifies: ssl }
  const { ca, cert, key, reject_unauthorized = true, server_name } = ssl
  return {
    required: true,
    verifies: reject_unauthorized,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(server_name !== undefined && { serverName: server_name }),
  }
}

const words: UrlWords = {
  names: ['encrypt'],
  values: ['false', 'no', 'optional', 'yes', 'mandatory', 'strict', 'true'],
}

/** Returns what `encrypt` and `trustServerCertificate` in a URL mean, as in the server's own clients. */
function tlsOfUrl(url: string | undefined): TlsSettings {
  const parameters = url !== undefined && URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams()
  const said = new Map([...parameters].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]))
  const required = /^(?:true|yes|mandatory|strict)$/.test(urlEncryption(url, words) ?? '')
  return { required, verifies: required && !/^(?:true|yes)$/.test(said.get('trustservercertificate') ?? '') }
}
