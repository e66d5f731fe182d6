import { describe, expect, it } from 'vitest'
import { define, dump, openForEachTest, policyKey, privacy, reopen, secret } from './webhook-service.js'

openForEachTest()

describe('the definition of policy webhooks', () => {
  it('PUT replaces the list, whose order counts; the secret is sealed and never returned', async () => {
    const url = 'https://hooks.example.com/a'
    const put = (input: unknown) => privacy.policyWebhooks.put(policyKey, 'pre_execution', input as never)
    const written = await put([
      { key: 'a', direction: 'two_way', url, secret },
      { name: 'Tell Support', direction: 'one_way', url },
    ])
    expect(written).toEqual([
      { key: 'a', name: 'a', direction: 'two_way', url, order: 0, signed: true },
      { key: 'tell_support', name: 'Tell Support', direction: 'one_way', url, order: 1, signed: false },
    ])
    expect(await dump()).not.toContain(secret)
    expect(await put(written.toReversed())).toMatchObject([
      { key: 'tell_support', order: 0 },
      { key: 'a', order: 1, signed: true },
    ])
    expect(await put([{ key: 'a', direction: 'two_way', url, secret: null }])).toMatchObject([
      { key: 'a', signed: false },
    ])
    expect(await privacy.policyWebhooks.list(policyKey, 'pre_execution')).toMatchObject({
      total: 1,
      items: [{ key: 'a' }],
    })
    expect(await privacy.policyWebhooks.list(policyKey, 'post_execution')).toMatchObject({ total: 0 })
    expect(await put([])).toEqual([])
  })

  it.each<[string, unknown, (string | number)[]]>([
    ['no list', { key: 'a' }, []],
    ['no direction', [{ key: 'a', url: 'https://a.example/' }], [0, 'direction']],
    ['no key and no name', [{ direction: 'one_way', url: 'https://a.example/' }], [0, 'key']],
    ['no url', [{ key: 'a', direction: 'one_way' }], [0, 'url']],
    ['no URL', [{ key: 'a', direction: 'one_way', url: 'hooks' }], [0, 'url']],
    ['another scheme', [{ key: 'a', direction: 'one_way', url: 'file:///etc/passwd' }], [0, 'url']],
    ['a password in the URL', [{ key: 'a', direction: 'one_way', url: 'https://u:planted@a.example/' }], [0, 'url']],
    ['a fragment', [{ key: 'a', direction: 'one_way', url: 'https://a.example/#b' }], [0, 'url']],
    [
      'an unknown member',
      [{ key: 'a', direction: 'one_way', url: 'https://a.example/', secrte: 'planted' }],
      [0, 'secrte'],
    ],
    ['an empty secret', [{ key: 'a', direction: 'one_way', url: 'https://a.example/', secret: '' }], [0, 'secret']],
    ['a key twice', ['a', 'a'].map((key) => ({ key, direction: 'one_way', url: 'https://a.example/' })), [1, 'key']],
  ])('refuses %s', async (_, input, loc) => {
    const refused = await privacy.policyWebhooks.put(policyKey, 'pre_execution', input as never).catch((error) => error)
    expect(refused).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
    expect(JSON.stringify(refused)).not.toContain('planted')
  })

  it('refuses private addresses and plain http, unless the option allows them', async () => {
    await privacy.close()
    reopen({ webhooks: { allowPrivateAddresses: false } })
    const items = ['https://127.0.0.1/', 'http://hooks.example.com/', 'https://hooks.example.com/'].map((url, at) => ({
      key: `k${at}`,
      direction: 'one_way',
      url,
    }))
    await expect(privacy.policyWebhooks.put(policyKey, 'post_execution', items as never)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: [0, 'url'] }, { loc: [1, 'url'] }] },
    })
    await privacy.policyWebhooks.put(policyKey, 'post_execution', items.slice(2) as never)
    await expect(
      privacy.policyWebhooks.patch(policyKey, 'post_execution', 'k2', { url: 'https://[::1]/' }),
    ).rejects.toMatchObject({ details: { issues: [{ loc: ['url'] }] } })
  })

  it('PATCH changes one and moves it; DELETE removes it', async () => {
    await define('pre_execution', ['a', 'two_way', { secret }], ['b'], ['c'])
    const { patch, get, remove, list } = privacy.policyWebhooks
    const moved = await patch(policyKey, 'pre_execution', 'a', { order: 2, name: 'Last' })
    expect(moved).toMatchObject({
      webhook: { key: 'a', name: 'Last', order: 2, signed: true },
      order: [
        { key: 'b', order: 0 },
        { key: 'c', order: 1 },
        { key: 'a', order: 2 },
      ],
    })
    expect(await patch(policyKey, 'pre_execution', 'a', { direction: 'one_way', secret: null })).toMatchObject({
      webhook: { direction: 'one_way', signed: false },
      order: [],
    })
    expect(await get(policyKey, 'pre_execution', 'a')).toMatchObject({ name: 'Last', order: 2 })
    const bad = [{ order: 3 }, { order: -1 }, { keys: 'b' }, { direction: 'both' }]
    for (const input of bad)
      await expect(patch(policyKey, 'pre_execution', 'a', input as never)).rejects.toMatchObject({
        code: 'invalid_input',
      })
    await remove(policyKey, 'pre_execution', 'c')
    expect((await list(policyKey, 'pre_execution')).items.map(({ key }) => key)).toEqual(['b', 'a'])
    for (const attempt of [get, remove]) {
      await expect(attempt(policyKey, 'pre_execution', 'c')).rejects.toMatchObject({ code: 'not_found' })
      await expect(attempt(policyKey, 'post_execution', 'a')).rejects.toMatchObject({ code: 'not_found' })
      await expect(attempt('nowhere', 'pre_execution', 'a')).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it('is deleted with its policy', async () => {
    await privacy.policies.put({ service_key: 'mine' })
    const item = { key: 'a', direction: 'one_way', url: 'https://a.example/' }
    await privacy.policyWebhooks.put('mine', 'post_execution', [item as never])
    await privacy.policies.remove('mine')
    await privacy.policies.put({ service_key: 'mine' })
    expect(await privacy.policyWebhooks.list('mine', 'post_execution')).toMatchObject({ total: 0 })
  })

  it('fifty writers at once leave one list whole', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, at) => define('pre_execution', [`a${at}`], [`b${at}`])))
    const keys = (await privacy.policyWebhooks.list(policyKey, 'pre_execution')).items.map(({ key }) => key)
    expect(keys).toHaveLength(2)
    expect(keys[0]?.slice(1)).toBe(keys[1]?.slice(1))
  })
})
