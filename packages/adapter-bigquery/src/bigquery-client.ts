import type { BigQuery } from '@google-cloud/bigquery'

type Keyfile = Readonly<Record<string, unknown>>

/**
 * The client for a key file, or for an emulator at `apiEndpoint`. Nothing is taken from the machine: where the key file is
 * incomplete the client would use whatever it finds there, and `BIGQUERY_EMULATOR_HOST` would get the token. The driver, which is
 * large, is loaded here.
 */
export async function bigqueryClient(keyfile: Keyfile, projectId: string, apiEndpoint?: string): Promise<BigQuery> {
  const { BigQuery } = await import('@google-cloud/bigquery')
  const { JWT, PassThroughClient } = await import('google-auth-library')
  const scopes = ['https://www.googleapis.com/auth/bigquery']
  const login = () => new JWT({ email: textIn(keyfile, 'client_email'), key: textIn(keyfile, 'private_key'), scopes })
  const universeDomain = textIn(keyfile, 'universe_domain')
  const client = new BigQuery({
    projectId: projectId || 'none',
    authClient: apiEndpoint === undefined ? login() : new PassThroughClient(),
    ...(universeDomain && { universeDomain }),
    apiEndpoint: apiEndpoint ?? `https://bigquery.${universeDomain || 'googleapis.com'}`,
    autoRetry: true,
    maxRetries: 3,
  })
  client.baseUrl = `${client.apiEndpoint}/bigquery/v2`
  return client
}

/** A member of a key file that is text, and else a blank text. */
export function textIn(keyfile: Keyfile, name: string): string {
  const value = keyfile[name]
  return typeof value === 'string' ? value : ''
}
