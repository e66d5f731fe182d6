import {
  createPrivacyService,
  isPrivacyError,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  type RowKind,
  type Storage,
} from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const refused = /\p{Surrogate}|\0/u

/** As strict about text as a database is: it fails, instead of keeping or looking for what is not well-formed. */
function strictStorage(inner: Storage): Storage {
  const strict = (table: object) =>
    Object.fromEntries(
      Object.entries(table).map(([name, call]) => [
        name,
        async (...given: unknown[]) => {
          if (hasIllFormed(given)) throw new Error(`${name} of text that is not well-formed`)
          return call(...given)
        },
      ]),
    )
  return {
    ...inner,
    table: ((kind: RowKind) => strict(inner.table(kind))) as unknown as Storage['table'],
    transaction: (work) => inner.transaction((within) => work(strictStorage(within))),
  }
}

function hasIllFormed(value: unknown): boolean {
  if (typeof value === 'string') return refused.test(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some((member) => member.some(hasIllFormed))
}

let privacy: PrivacyService
beforeAll(async () => {
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 1).toString('base64'),
    storage: strictStorage(memoryStorage()),
    blobs: memoryBlobs(),
    logger: false,
    execution: { immediate: false },
  })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres' })
  await privacy.connections.put({ key: 'people', connectionType: 'manual_webhook' })
})
afterAll(() => privacy.close())

/** Every call of the service, by its name. */
function callsOf(part: object, name = ''): [string, (...given: unknown[]) => unknown][] {
  return Object.entries(part).flatMap(([member, value]) => {
    const place = name === '' ? member : `${name}.${member}`
    if (typeof value === 'function') return /(?:^|\.)(?:close|on)$/.test(place) ? [] : [[place, value]]
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? callsOf(value, place) : []
  })
}

/** Members that some call or other takes text under; not `caller`, which comes from a token that was checked. */
const members = [
  ...['service_key', 'key', 'name', 'description', 'search', 'subject', 'reason', 'code', 'token', 'note', 'policyKey'],
  ...['externalId', 'requestId', 'identity', 'status', 'clientId', 'clientSecret', 'id', 'kind', 'scopes'],
  ...['connectionType', 'collection', 'rule', 'etag', 'system_type', 'planHash', 'file', 'dataset', 'policy'],
]

async function judge(call: (...given: unknown[]) => unknown, given: readonly unknown[]): Promise<string | undefined> {
  try {
    const result = await call(...given)
    if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
      for await (const _ of result as AsyncIterable<unknown>);
    }
    return undefined
  } catch (error) {
    if (isPrivacyError(error) && error.code !== 'internal') return undefined
    // Arguments of the wrong kind are a mistake of the program, and found by its compiler.
    if (error instanceof TypeError) return undefined
    return (error as Error).message
  }
}

describe('text that not every storage takes', () => {
  it.each(['null \0 character', '\ud83e half'])(
    '%j never comes to the storage, whatever call it is given to',
    async (text) => {
      const calls = callsOf({ ...privacy })
      expect(calls.length).toBeGreaterThan(80)
      const objects = members.flatMap((member) => [{ [member]: text }, { [member]: [text] }])
      const shapes = [text, [text], [[text]], ...objects, ...objects.map((each) => [each]), { [text]: 'name' }]
      const failures: string[] = []
      for (const [name, call] of calls) {
        for (const shape of shapes) {
          for (const given of [[shape], ['shop', shape], ['people', shape], ['pri_1', shape], [shape, shape, shape]]) {
            const failure = await judge(call, given)
            if (failure !== undefined) failures.push(`${name}: ${failure}`)
          }
        }
      }
      expect([...new Set(failures)]).toEqual([])
    },
  )

  it('is named in an input, but not in its name', async () => {
    const wrong = {
      service_key: 'd',
      name: 'a\0',
      description: 'half \udfff',
      collections: [{ name: 'c\0', fields: [] }],
    }
    await expect(privacy.datasets.put(wrong)).rejects.toMatchObject({
      code: 'invalid_input',
      details: {
        issues: [['name'], ['description'], ['collections', 0, 'name']].map((loc) => ({
          loc,
          type: 'ill_formed_text',
        })),
      },
    })
    const member = { service_key: 's', system_type: 't', ['odd\0']: 1 }
    await expect(privacy.systems.put(member)).rejects.toMatchObject({ details: { issues: [{ loc: [] }] } })
    await expect(
      privacy.datasets.put({ service_key: 'd', name: '🧿 é \u0001 \n', collections: [] }),
    ).resolves.toBeDefined()
  })
})
