import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { BSON, type Document, MongoClient } from 'mongodb'
import { afterAll, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { documentModels, people } from './document-models.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

type Person = keyof typeof people

const ownersOf = (text: string): readonly string[] => /^([a-z+]+): /.exec(text)?.[1]?.split('+') ?? []

/** All texts in a value that say whose they are. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return ownersOf(value).length > 0 ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** The value without what is the person's alone. */
function without(person: Person, value: unknown): unknown {
  if (typeof value === 'string') return ownersOf(value).join() === person ? null : value
  if (Array.isArray(value)) return value.map((element) => without(person, element))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, without(person, member)]))
}

const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
afterAll(() => client.close())

describe.each([
  ['a replica set', false],
  ['a server that stands alone', true],
])('on %s', (_, standsAlone) => {
  it.each(documentModels)(
    '%s: each person gets what is theirs, and it is erased, and nothing else',
    async (_, model) => {
      const { documents, collections } = model
      const name = `habeas_${randomBytes(6).toString('hex')}`
      const db = client.db(name)
      const proxy = await mongoProxy(serverUrl(), { standsAlone })
      const privacy = createPrivacyService({
        execution: { retryMinutes: 0 },
        encryptionKey: randomBytes(32).toString('base64'),
        connectors: [mongodbConnector()],
      })
      const stored = async () => {
        const found: Record<string, Document[]> = {}
        for (const collection of Object.keys(documents)) {
          const all = await db.collection(collection).find({}, { promoteValues: false }).sort({ _id: 1 }).toArray()
          found[collection] = all.map((each) => BSON.EJSON.serialize(each, { relaxed: false }))
        }
        return found
      }
      const settled = async (policyKey: string, person: Person) => {
        const { id } = await privacy.requests.submit({ policyKey, identities: [{ email: people[person] }] })
        const request = await privacy.requests.settled(id)
        expect(request.failure ?? request.status).toBe('complete')
        return request
      }
      try {
        for (const [collection, all] of Object.entries(documents))
          await db.collection(collection).insertMany(all.map((each) => ({ ...each })))
        await privacy.connections.put({ key: 'w', connectionType: 'mongodb', access: 'write' })
        await privacy.connections.setSecrets('w', { url: proxy.url, database: name })
        await privacy.connections.attachDataset('w', { service_key: 'w', collections } as never)
        const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
        await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
        await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
        for (const person of Object.keys(people) as Person[]) {
          const before = await stored()
          let text = ''
          const { id } = await settled('access', person)
          for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
          const theirs = textsIn(before).filter((each) => ownersOf(each).includes(person))
          expect(textsIn(JSON.parse(text)).sort(), person).toEqual(theirs.sort())
          await settled('erase', person)
          expect(await stored(), person).toEqual(without(person, before))
        }
      } finally {
        await privacy.close()
        await db.dropDatabase()
        await proxy.close()
      }
    },
  )
})
