import { afterEach, describe, expect, test } from 'vitest'
import type { PrivacyService } from '../api/privacy-service.js'
import { createPrivacyService } from '../service.js'

let open: PrivacyService | undefined
const service = () => {
  open = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  return open
}
afterEach(() => open?.close())

const shop = {
  service_key: 'shop',
  collections: [{ name: 'customer', fields: [{ name: 'id' }, { name: 'email', service_meta: { identity: 'email' } }] }],
}
const types = (findings: readonly { type: string }[]) => findings.map(({ type }) => type)

describe('a misspelt key', () => {
  const near = (key: string) => expect.stringContaining(`: the nearest known name is '${key}'`)

  async function withBilling() {
    const { connections, datasets } = service()
    await connections.put({ key: 'payments', connectionType: 'manual' })
    await datasets.put({ ...shop, service_key: 'billing' })
    return { connections, datasets }
  }

  test('of a connection or a dataset is answered with the key that is near', async () => {
    const { connections, datasets } = await withBilling()
    for (const call of [
      connections.attachDataset('paymnets', shop),
      connections.setSecrets('paymnets', {}),
      connections.test('paymnets'),
    ])
      await expect(call).rejects.toMatchObject({ code: 'not_found', message: near('payments') })
    await expect(datasets.get('biling')).rejects.toMatchObject({ code: 'not_found', message: near('billing') })
    await expect(datasets.get('crm')).rejects.toMatchObject({ message: "No dataset has the key 'crm'." })
  })

  test('makes another dataset or connection, and a finding names the one that is near', async () => {
    const { connections, datasets } = await withBilling()
    const attached = await connections.attachDataset('payments', { service_key: 'biling' })
    expect(types(attached.findings)).toContain('similar_key')
    expect(types(await datasets.findings('billing'))).toContain('similar_key')
    const written = await connections.put({ key: 'payment', connectionType: 'manual' })
    expect(written.findings).toMatchObject([{ type: 'similar_key', message: expect.stringContaining("'payments'") }])
  })

  test('under a name of other resources is ignored with a hint', async () => {
    const { connections } = await withBilling()
    const { warnings } = await connections.put({
      key: 'crm',
      service_key: 'biling',
      connectionType: 'manual',
    } as never)
    expect(warnings).toEqual([{ loc: ['service_key'], msg: near('key') }])
  })
})

test('a member that is missing is answered with the one that was probably meant for it', async () => {
  const { connections } = service()
  const put = (input: object) => connections.put(input as never).catch(({ message }) => message)
  expect(await put({ key: 'crm', connection_type: 'manual' })).toContain(
    "connectionType is required: 'connection_type' is not known here.",
  )
  expect(await put({ service_key: 'crm', connectionType: 'manual' })).toMatch(
    /key is required, .*: 'service_key' is not known here\.$/,
  )
})

test('a reference names the dataset, collection or field that is near the one that it leads to', async () => {
  const { datasets } = service()
  const near = async (dataset: string, field: string) => {
    const references = [{ dataset, field }]
    const orders = { name: 'orders', fields: [{ name: 'customer_id', service_meta: { references } }] }
    const { findings } = await datasets.validate({ ...shop, collections: [...shop.collections, orders] } as never)
    return findings.flatMap(({ message }) => /known name is '([^']*)'/.exec(message)?.[1] ?? [])
  }
  expect(await near('shpo', 'customer.id')).toEqual(['shop'])
  expect(await near('shop', 'customers.id')).toEqual(['customer'])
  expect(await near('shop', 'customer.emial')).toEqual(['email'])
  expect(await near('crm', 'person.id')).toEqual([])
})
