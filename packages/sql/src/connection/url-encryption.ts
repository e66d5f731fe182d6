import { failure } from './connection-failure.js'

/** How the URLs of one database speak of encryption. */
export interface UrlWords {
  /** The name of the parameter in small letters, and other names that mean the same. */
  readonly names: readonly [string, ...string[]]
  /** The values it may have, in small letters and with hyphens. */
  readonly values: readonly string[]
}

/** What URLs of other databases and clients call it. */
const elsewhere = /^(?:ssl|tls|sslmode|usessl|requiressl|encrypt|sslaccept|tlsmode)$/

/**
 * Returns what a URL says of encryption, or undefined where it says nothing. Throws where it means to say something and is not
 * understood: the connection would else be one that everybody can read.
 */
export function urlEncryption(url: string | undefined, { names, values }: UrlWords): string | undefined {
  const parameters = url !== undefined && URL.canParse(url) ? [...new URL(url).searchParams] : []
  for (const [name, value] of parameters) {
    if (names.includes(name.toLowerCase())) {
      const said = value.toLowerCase().replaceAll('_', '-')
      if (values.includes(said)) return said
      throw failure(
        'tls',
        `The URL says '${name}' with a value that is not known here: say one of ${values.join(', ')}.`,
      )
    }
    if (elsewhere.test(name.toLowerCase().replaceAll(/[-_]/g, '')))
      throw failure(
        'tls',
        `The URL has a parameter '${name}', which is not known here: say ${names[0]}=${values.at(-1)}, or give the secret ssl.`,
      )
  }
  return undefined
}
