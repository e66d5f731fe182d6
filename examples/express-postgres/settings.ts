import { randomBytes } from 'node:crypto'
import { postgresConnector } from '@habeas/adapter-postgres'
import { consoleMailer, loadOptions, type PrivacyServiceOptions } from '@habeas/core'
import { openState, type State } from './state.js'

export interface Settings {
  readonly options: PrivacyServiceOptions
  readonly port: number
  /** Absent: everything is kept in memory. */
  readonly state: State | undefined
  /** The address of the database that is searched. Absent: somebody connects one over HTTP. */
  readonly shop: string | undefined
  /** What a person should know of where the settings come from. */
  readonly remarks: readonly string[]
  /** The root client as curl takes it: not itself where it came from outside. */
  readonly rootClient: string
}

/**
 * From the environment, and from the configuration file that HABEAS_CONFIG names. Keys that an application must have are
 * made for this process where there are none.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = loadOptions({
    file: env['HABEAS_CONFIG'] || undefined,
    env,
    // A real application does not allow this.
    security: { allowShortRootSecret: true },
    connectors: [postgresConnector()],
    // A real application sends mails instead: these hold codes and links of people.
    mailer: consoleMailer(),
  })
  const address = env['DATABASE_URL']
  if (address && !given.encryptionKey) {
    throw new Error(
      'DATABASE_URL is set, so HABEAS_ENCRYPTION_KEY must be as well: what is kept there is sealed with it.',
    )
  }
  const state = address ? openState(address) : undefined
  const port = readPort(env['PORT'] || '3000')
  const shop = env['SHOP_DATABASE_URL'] || undefined
  const remarks = [
    state
      ? 'Everything is kept in the database of DATABASE_URL, for this process and others.'
      : 'Everything is kept in memory: it is gone with this process.',
    shop
      ? 'The database of SHOP_DATABASE_URL is searched, as shop.yml describes it.'
      : 'No SHOP_DATABASE_URL is set: no database is searched until one is connected.',
    'Mails are printed here.',
  ]
  if (!given.encryptionKey) remarks.push('No HABEAS_ENCRYPTION_KEY is set: this process made one for itself.')

  const hasRoot = given.security?.oauthRootClientId !== undefined
  const secret = randomBytes(32).toString('base64url')
  if (!hasRoot) remarks.push('No OAUTH_ROOT_CLIENT_ID is set: this process made a root client for itself.')

  return {
    options: {
      encryptionKey: randomBytes(32).toString('base64'),
      // Links in mails begin with it.
      ...(port > 0 && { publicUrl: `http://localhost:${port}` }),
      ...given,
      ...(state && { storage: state.storage, blobs: state.blobs }),
      security: { ...given.security, ...(!hasRoot && { oauthRootClientId: 'root', oauthRootClientSecret: secret }) },
    },
    port,
    state,
    shop,
    remarks,
    rootClient: hasRoot ? '"$OAUTH_ROOT_CLIENT_ID:$OAUTH_ROOT_CLIENT_SECRET"' : `root:${secret}`,
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Error('PORT must be a number from 0, which takes a free one, to 65535.')
}
