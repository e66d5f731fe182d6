import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPrivacyService, memoryBlobs, memoryStorage, type PrivacyService, type Storage } from '../../src/index.js'
import { type SmallShop, smallShop } from './small-shop.js'
import { storedText } from './stored-text.js'

const identities = [{ email: 'ann@example.org' }]
const policyKey = 'default_access_policy'
let storage: Storage
let shop: SmallShop
let privacy: PrivacyService
let blobs: ReturnType<typeof memoryBlobs>

const user = { data_categories: ['user'] }
const field = (name: string, meta: object = {}, more: object = {}) => ({ name, ...user, service_meta: meta, ...more })

/** letters: by the customer's number, which the shop knows; badges: by what a letter says; visitors: by address. */
const paper = {
  service_key: 'paper',
  collections: [
    {
      name: 'letters',
      fields: [
        field('customer', { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }),
        field('subject', { data_type: 'string' }),
        field('badge', { references: [{ dataset: 'paper', field: 'badges.number', direction: 'to' }] }),
        { name: 'internal' },
      ],
    },
    { name: 'badges', fields: [field('number', { primary_key: true, data_type: 'integer' }), field('colour')] },
  ],
}

beforeEach(async () => {
  storage = memoryStorage()
  blobs = memoryBlobs()
  shop = smallShop()
  privacy = openService()
  await shop.describeTo(privacy)
  await privacy.connections.put({ key: 'archive', connectionType: 'manual' })
  await privacy.connections.attachDataset('archive', paper)
})
afterEach(() => privacy.close())

function openService() {
  return createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    connectors: [shop.connector],
    storage,
    blobs,
    execution: { immediate: false },
  })
}

async function run(given: object[] = identities) {
  const { id } = await privacy.requests.submit({ policyKey, identities: given as never })
  await privacy.requests.run()
  return id
}

async function give(id: string, rows: unknown) {
  const given = await privacy.requests.manualInput(id, rows as never)
  await privacy.requests.run()
  return given
}

const get = (id: string) => privacy.requests.get(id)

const packageOf = (id: string) => json(privacy.requests.readPackage(id)) as Promise<Record<string, unknown[]>>

const dump = () => storedText(storage)

const letter = { customer: 1, subject: 'planted-subject', badge: 5, internal: 'planted-internal' }

describe('manual collections', () => {
  it('the run pauses there, goes on with the given rows, and pauses at the next collection', async () => {
    const id = await run()
    const paused = await get(id)
    expect(paused).toMatchObject({
      status: 'paused',
      actionRequired: {
        step: 'access',
        collection: 'paper:letters',
        actionNeeded: [{ locators: null, get: ['customer', 'subject', 'badge'], update: null }],
      },
    })
    expect(JSON.stringify(paused)).not.toMatch(/ann@|awaitedInput/)
    expect(await privacy.requests.actionNeeded(id)).toEqual([
      { locators: { customer: [1] }, get: ['customer', 'subject', 'badge'], update: null },
    ])
    expect(await give(id, [letter])).toMatchObject({ status: 'in_processing' })
    expect((await get(id)).actionRequired).toMatchObject({ collection: 'paper:badges' })
    expect(await privacy.requests.actionNeeded(id)).toMatchObject([{ locators: { number: [5] } }])
    await give(id, [{ number: '5', colour: 'red' }])
    const complete = await get(id)
    expect(complete.status).toBe('complete')
    expect(complete.actionRequired).toBeUndefined()
    expect(await packageOf(id)).toMatchObject({
      'shop:customer': [{ name: 'Ann' }],
      'shop:orders': [{ title: 'a lamp' }],
      'paper:letters': [{ customer: 1, subject: 'planted-subject', badge: 5 }],
      'paper:badges': [{ number: '5', colour: 'red' }],
    })
    expect(shop.reads).toEqual(['customer', 'orders'])
    expect(JSON.stringify(await packageOf(id))).not.toContain('planted-internal')
    expect(await dump()).not.toContain('planted')
    const results = complete.results?.map(
      ({ dataset, collection, outcomes }) => `${dataset}:${collection} ${outcomes[0]?.outcome}`,
    )
    expect(results).toEqual(expect.arrayContaining(['paper:letters delivered', 'paper:badges delivered']))
  })

  it('where no rows are found, those that depend on them are not asked for, and the request completes', async () => {
    const id = await run()
    await give(id, [])
    expect(await get(id)).toMatchObject({ status: 'complete' })
    expect(Object.keys(await packageOf(id))).not.toContain('paper:letters')
  })

  it('no person is asked for rows that nothing leads to', async () => {
    const id = await run([{ email: 'nobody@example.org' }])
    expect(await get(id)).toMatchObject({ status: 'complete' })
  })

  it('independent collections run on meanwhile, and the log says what waits', async () => {
    const id = await run()
    const { items } = await privacy.requests.log(id, { size: 100 })
    const states = (name: string) => items.filter(({ collection }) => collection === name).map(({ status }) => status)
    expect(states('orders')).toEqual(['in_processing', 'complete'])
    expect(states('letters')).toEqual(['in_processing', 'paused'])
    expect(states('badges')).toEqual([])
  })

  it('the pause outlives the process, and nothing is read again', async () => {
    const id = await run()
    await privacy.requests.run()
    await privacy.close()
    privacy = openService()
    await privacy.requests.run()
    expect(await get(id)).toMatchObject({ status: 'paused' })
    await give(id, [letter])
    await privacy.close()
    privacy = openService()
    await give(id, [{ number: 5, colour: 'red' }])
    expect(await get(id)).toMatchObject({ status: 'complete' })
    expect(shop.reads).toEqual(['customer', 'orders'])
  })

  it.each<[string, unknown, (string | number)[]]>([
    ['no list', { subject: 'planted' }, []],
    ['no row', ['planted'], [0]],
    ['a member that is not declared', [letter, { ...letter, subjct: 'planted' }], [1, 'subjct']],
    ['a forbidden name', JSON.parse('[{"customer":1,"__proto__":{"a":"planted"}}]'), [0, '__proto__']],
    ['an object for text', [{ ...letter, subject: { $ne: 'planted' } }], [0, 'subject']],
    ['a row without what it was asked by', [{ subject: 'planted' }], [0]],
    ["somebody else's row", [letter, { ...letter, customer: 2 }], [1]],
  ])('input with %s is refused, naming the place and no value', async (_, rows, loc) => {
    const id = await run()
    const refused = await privacy.requests.manualInput(id, rows as never).catch((error) => error)
    expect(refused).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
    expect(JSON.stringify(refused)).not.toContain('planted')
    expect(await get(id)).toMatchObject({ status: 'paused' })
  })

  it('a value that is not of the declared type is refused', async () => {
    const id = await run()
    await give(id, [letter])
    await expect(privacy.requests.manualInput(id, [{ number: 'five' }])).rejects.toMatchObject({
      details: { issues: [{ loc: [0, 'number'] }] },
    })
    await expect(privacy.requests.manualInput(id, [{ number: 6 }])).rejects.toMatchObject({
      details: { issues: [{ loc: [0], type: 'not_asked_for' }] },
    })
  })

  it('fifty concurrent inputs: exactly one wins', async () => {
    const id = await run()
    const inputs = await Promise.allSettled(
      Array.from({ length: 50 }, () => privacy.requests.manualInput(id, [letter])),
    )
    expect(inputs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of inputs)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'invalid_state' })
  })

  it('input is taken for requests that wait for it, and for no others', async () => {
    const id = await run()
    await privacy.requests.cancel(id)
    await expect(privacy.requests.manualInput(id, [])).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'canceled' },
    })
    await expect(privacy.requests.manualInput('pri_none', [])).rejects.toMatchObject({ code: 'not_found' })
    expect(await privacy.requests.actionNeeded(id)).toBeUndefined()
  })

  it('erasure_confirm: no request waits for it', async () => {
    const id = await run()
    await expect(privacy.requests.confirmErasure(id, { rowCount: 1 })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(privacy.requests.confirmErasure(id, { rowCount: -1 })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(privacy.requests.confirmErasure('pri_none', { rowCount: 1 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('a failure elsewhere comes first; retry reads what is missing and then asks', async () => {
    shop.failNext('orders')
    const id = await run()
    const failed = await get(id)
    expect(failed.status).toBe('error')
    expect(failed.results?.find(({ collection }) => collection === 'letters')?.outcomes).toMatchObject([
      { outcome: 'skipped' },
    ])
    await privacy.requests.retry(id)
    await privacy.requests.run()
    expect(await get(id)).toMatchObject({ status: 'paused' })
    expect(shop.reads).toEqual(['customer', 'orders', 'orders'])
  })

  it('rows that were given are not asked for again after a failure', async () => {
    const id = await run()
    await privacy.requests.manualInput(id, [letter])
    await privacy.requests.run()
    await privacy.requests.manualInput(id, [{ number: 5, colour: 'red' }])
    const write = blobs.write
    blobs.write = async () => {
      throw new Error('the blobs are away')
    }
    await privacy.requests.run()
    blobs.write = write
    expect(await get(id)).toMatchObject({ status: 'error' })
    await privacy.requests.retry(id)
    await privacy.requests.run()
    expect(await get(id)).toMatchObject({ status: 'complete' })
    expect(await packageOf(id)).toMatchObject({ 'paper:badges': [{ number: 5, colour: 'red' }] })
  })

  it('that refer to themselves are asked for as long as rows lead to others', async () => {
    const thread = {
      service_key: 'thread',
      collections: [
        {
          name: 'notes',
          fields: [
            field('id', { primary_key: true, data_type: 'integer' }),
            field('email', { identity: 'email' }),
            field('answers', {
              data_type: 'integer',
              references: [{ dataset: 'thread', field: 'notes.id', direction: 'to' }],
            }),
          ],
        },
      ],
    }
    await privacy.connections.detachDataset('archive', 'paper')
    await privacy.connections.attachDataset('archive', thread)
    const id = await run()
    expect(await privacy.requests.actionNeeded(id)).toMatchObject([{ locators: { email: ['ann@example.org'] } }])
    await give(id, [{ id: 1, email: 'ann@example.org', answers: 2 }])
    expect(await privacy.requests.actionNeeded(id)).toMatchObject([{ locators: { id: [2] } }])
    await give(id, [{ id: 2, answers: 1 }])
    // By its number it was not looked up yet; found once more, it is delivered once.
    expect(await privacy.requests.actionNeeded(id)).toMatchObject([{ locators: { id: [1] } }])
    await give(id, [{ id: 1, email: 'ann@example.org', answers: 2 }])
    expect(await get(id)).toMatchObject({ status: 'complete' })
    expect((await packageOf(id))['thread:notes']).toEqual([
      { id: 1, email: 'ann@example.org', answers: 2 },
      { id: 2, answers: 1 },
    ])
  })

  it('two that do not depend on each other are asked for one after the other', async () => {
    const second = {
      service_key: 'desk',
      collections: [{ name: 'visits', fields: [field('email', { identity: 'email' }), field('day')] }],
    }
    await privacy.connections.put({ key: 'reception', connectionType: 'manual' })
    await privacy.connections.attachDataset('reception', second)
    const id = await run()
    const asked: (string | null | undefined)[] = []
    for (const rows of [[{ email: 'ann@example.org', day: 'Monday' }], []]) {
      asked.push((await get(id)).actionRequired?.collection)
      const isVisits = asked.at(-1) === 'desk:visits'
      await give(id, isVisits ? rows : [])
    }
    expect(asked.toSorted()).toEqual(['desk:visits', 'paper:letters'])
    expect(await get(id)).toMatchObject({ status: 'complete' })
  })

  it('while disabled are skipped, and findings ask nobody for their catalogue', async () => {
    const findings = await privacy.datasets.findings('paper')
    expect(findings.map(({ type }) => type)).not.toContain('live_schema_unknown')
    await privacy.connections.patch({ key: 'archive', disabled: true })
    const id = await run()
    expect(await get(id)).toMatchObject({ status: 'complete' })
    expect((await packageOf(id)).not_searched).toEqual(
      expect.arrayContaining([{ collection: 'paper:letters', reason: 'disabled' }]),
    )
  })
})
