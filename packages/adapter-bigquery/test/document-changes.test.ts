import type { Connection, KeyGroup, Row } from '@habeas/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { serviceRules } from './double/service-rules.js'
import { memoryEngine } from './double/sql/memory-engine.js'
import { scalarOf } from './double/sql/values.js'

const names = Array.from({ length: 40 }, (_, at) => `m${at}`)
const of = (value: string) => Object.fromEntries(names.map((name) => [name, value]))
// a text that may stand for a number keeps the list from being written whole
const elements = Array.from({ length: 60 }, () => ({ order: '12345678901234567890', gift: 'g' }))
const was = { ...of('a'), home: { city: 'Rome', floor: 1 }, list: elements }
const to = { ...of('x'), home: { floor: 1 }, list: elements.map((element) => ({ ...element, gift: null })) }
const held = [
  { ...was, none: null, price: 1.5 },
  { ...of('b'), m1: null, m3: 'a', home: 'Rome', list: elements.slice(1) },
  { m3: 'a', home: { city: null, floor: 2 }, more: { city: 'Rome' } },
]
const left = [
  { ...to, none: null, price: 1.5 },
  { ...held[1], m3: 'x' },
  { ...held[2], m3: 'x' },
]

let server: JobServer
let connection: Connection
beforeAll(async () => {
  const fields = [
    { name: 'id', type: 'INTEGER' },
    { name: 'data', type: 'JSON' },
  ]
  const rows = held.map((document, id) => ({
    id: scalarOf('INTEGER', String(id)),
    data: scalarOf('JSON', JSON.stringify(document)),
  }))
  server = await openJobServer(memoryEngine(new Map([['acme.shop.wide', { fields, rows }]])), serviceRules)
  const connector = bigqueryConnector({ apiEndpoint: server.address })
  connection = await connector.connect(
    connector.parseSecrets({ dataset: 'shop', keyfile_creds: { project_id: 'acme' } }),
  )
})
afterAll(async () => {
  await connection?.close()
  await server?.close()
})

it('writes many members and elements of one document, each while it is what it was', async () => {
  const all: KeyGroup = { fields: [{ path: ['id'] }], values: [[0, 1, 2]] }
  await connection.erase!({
    ...{ collection: 'wide', key: ['id'], keys: [[0, 1, 2]], anyOf: [all] },
    set: [{ column: 'data', toEach: [to, to, to], was: [was, was, was] }],
  })
  const found: Row[] = []
  for await (const batch of connection.read({ collection: 'wide', columns: ['id', 'data'], anyOf: [all] }))
    found.push(...batch)
  expect(found.sort(([one], [other]) => Number(one) - Number(other))).toEqual(left.map((data, id) => [id, data]))
})
