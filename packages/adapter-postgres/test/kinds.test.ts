import { createPrivacyService } from '@habeas/core'
import { expect, it } from 'vitest'
import { postgresConnector, redshiftConnector, timescaleConnector } from '../src/index.js'

const exported = { postgresConnector, redshiftConnector, timescaleConnector }

it.each([
  ['postgres', postgresConnector],
  ['timescale', timescaleConnector],
  ['redshift', redshiftConnector],
] as const)(
  'a connection of the type %s that nobody passed a connector for names the one of this package',
  async (type, connectorOf) => {
    expect(connectorOf().type).toBe(type)
    const encryptionKey = Buffer.alloc(32, 1).toString('base64')
    const privacy = createPrivacyService({ encryptionKey, connectors: [] })
    await privacy.connections.put({ key: 'db', connectionType: type })
    const { failureReason } = await privacy.connections.setSecrets('db', { host: 'h', user: 'u', password: 'p' })
    const [, name = '', from] = /`import \{ (\w+) \} from '([^']+)'`/.exec(String(failureReason)) ?? []
    expect([exported[name as keyof typeof exported], from]).toEqual([connectorOf, '@habeas/adapter-postgres'])
    await privacy.close()
  },
)
