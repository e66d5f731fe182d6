import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createPrivacyService,
  memoryStorage,
  PrivacyError,
  type PrivacyService,
  type Secrets,
} from '../../src/index.js'
import { email, keptCalls, policyKey, ringOf, sealEverything } from '../fixtures/sealed-world.js'
import { smallShop } from './small-shop.js'

/** Contexts that begin with this are not opened. */
let away: string | undefined
let storage: ReturnType<typeof memoryStorage>
const opened: PrivacyService[] = []

beforeEach(() => {
  away = undefined
  storage = memoryStorage()
})
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close()
})

const message = 'The key server is away.'

/** A process whose keys lie on a server. It remembers nothing of what another has opened. */
function start(): PrivacyService {
  const ring = ringOf('an-old-key1')
  const secrets: Secrets = {
    ...ring,
    async open(sealed, context) {
      if (away !== undefined && context.startsWith(away)) throw new PrivacyError('unavailable', message)
      return ring.open(sealed, context)
    },
  }
  const { sender: webhookSender } = keptCalls()
  const options = { storage, secrets, webhookSender, execution: { immediate: false } }
  const service = createPrivacyService({ ...options, connectors: [smallShop().connector] }) as PrivacyService
  opened.push(service)
  return service
}

test('a call that needs a key is unavailable, and one that needs none is answered', async () => {
  const { id } = await start().requests.submit({ policyKey, identities: [{ email }] })
  const service = start()
  await service.requests.list()
  away = ''
  expect((await service.requests.get(id)).status).toBe('pending')
  await expect(service.requests.identities(id)).rejects.toMatchObject({ code: 'unavailable', message })
  away = undefined
  expect(await service.requests.identities(id)).toEqual([{ email }])
})

test('an export says so, and does not leave the identities out', async () => {
  await start().requests.submit({ policyKey, identities: [{ email }] })
  const exported = async (service: PrivacyService) => {
    let text = ''
    for await (const lines of await service.requests.exportCsv({ identities: true })) text += lines
    return text
  }
  expect(await exported(start())).toContain(email)
  away = 'privacy-request:'
  await expect(exported(start())).rejects.toMatchObject({ code: 'unavailable', message })
})

test('a webhook whose secret cannot be opened is not blamed', async () => {
  await sealEverything(start())
  const service = start()
  away = 'policy-webhook:'
  const messages: string[] = []
  service.on((event) => {
    if ('message' in event && event.message !== undefined) messages.push(event.message)
  })
  const { id } = await service.requests.submit({ policyKey: 'told', identities: [{ email }] })
  await service.requests.run(id)
  expect(messages.join()).toContain(message)
  expect(messages.join()).not.toContain("webhook 'signed'")
})
