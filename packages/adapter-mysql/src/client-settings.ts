import { connectionParts, type DatabaseSecrets } from '@habeas/core'
import { type UrlWords, urlEncryption } from '@habeas/sql'

/** Where the server is and how to log in, as the secrets say. The settings are never logged and never part of a message. */
export interface ClientSettings {
  /** Empty where the secrets do not say where the server is. A path is a socket of this machine. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Empty where the secrets lack it. */
  readonly database: string
  readonly tls: TlsSettings | undefined
  /** Whether the secrets hold a URL. */
  readonly fromUrl: boolean
}

/** How the connection is encrypted. */
export interface TlsSettings {
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
  const { host = '', port = 3306, user = '', password = '', database = '' } = connectionParts(secrets)
  const schema = database === '' ? (secrets.db_schema ?? '') : database
  return { host, port, user, password, database: schema, tls: tlsOf(secrets), fromUrl: secrets.url !== undefined }
}

function tlsOf({ ssl, url }: DatabaseSecrets): TlsSettings | undefined {
  if (ssl === undefined) return tlsOfUrl(url)
  if (typeof ssl === 'boolean') return ssl ? { verifies: true } : undefined
  const { ca, cert, key, reject_unauthorized = true, server_name } = ssl
  return {
    verifies: reject_unauthorized,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(server_name !== undefined && { serverName: server_name }),
  }
}

const words: UrlWords = {
  names: ['ssl-mode', 'sslmode'],
  values: [
    ...['disable', 'disabled', 'allow', 'prefer', 'preferred', 'require', 'required'],
    ...['verify-ca', 'verify-full', 'verify-identity'],
  ],
}

/** Returns what `ssl-mode` in a URL means, as in the server's own clients: `REQUIRED` encrypts and does not verify. */
function tlsOfUrl(url: string | undefined): TlsSettings | undefined {
  switch (urlEncryption(url, words)) {
    case 'verify-ca':
    case 'verify-full':
    case 'verify-identity':
      return { verifies: true }
    case 'require':
    case 'required':
      return { verifies: false }
    default:
      return undefined
  }
}
