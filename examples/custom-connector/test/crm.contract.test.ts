import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { apiKey, only, serviceOf, stopServices } from './crm-under-test.js'

afterAll(stopServices)

const opened = async (service: ReturnType<typeof serviceOf>) => {
  const { connector, url } = await service
  const secrets = { url, api_key: apiKey }
  return {
    connector,
    connection: await connector.connect(secrets),
    other: await connector.connect(secrets),
    unreachable: { url: 'http://127.0.0.1:1', api_key: 'a-wrong-password' },
  }
}

describe('the connector of the CRM', () =>
  connectorContract(it, (fixture) => opened(serviceOf(fixture)), {
    ...{ only, foreignKeys: false, indexes: false, lengths: false },
    ...{ erasing: (fixture: Fixture) => opened(serviceOf(fixture)), namesRules: false },
  }))
