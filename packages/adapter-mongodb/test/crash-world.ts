import { randomBytes } from 'node:crypto'
import { type Document, type MongoClient, ObjectId } from 'mongodb'
import { collection, field, refer } from '../../core/test/engine/described.js'
import { runCutOff } from '../../core/test/erasure/cut-off-request.js'
import { plain } from '../../core/test/erasure/described-erasure.js'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'

const ann = 'ann@example.com'
const ben = 'ben@example.com'
const [first, second, other] = [1, 2, 3].map((at) => new ObjectId(String(at).repeat(24))) as [
  ObjectId,
  ObjectId,
  ObjectId,
]

/** Ann's orders take several batches. Her tickets go as a whole, and members of lists and documents one by one. */
const documents: Readonly<Record<string, readonly Document[]>> = {
  customer: [
    { _id: first, email: ann, name: 'Ann', home: { city: 'Rome', floor: 1 }, seen: ['a', 'b'] },
    { _id: second, email: ann, name: null, home: { city: 'Oslo' } },
    { _id: other, email: ben, name: 'Ben', home: { city: 'Bonn', floor: 2 }, seen: ['c'] },
  ],
  orders: [1, 2, 3, 4, 5].map((number) => ({
    _id: number,
    customer_id: [first, other, second, first, first][number - 1],
    note: `note ${number}`,
    total: number,
  })),
  ticket: [1, 2, 3].map((number) => ({
    _id: `t${number}`,
    customer_id: [first, other, second][number - 1],
    body: `help ${number}`,
  })),
}

const described = [
  collection('customer', [
    plain('_id', { primary_key: true }),
    field('email', { identity: 'email' }, []),
    field('name', { masking_strategy: { strategy: 'hash' } }),
    { name: 'home', fields: [field('city'), plain('floor')] },
    field('seen'),
  ]),
  collection('orders', [
    plain('_id', { primary_key: true }),
    refer('customer_id', 'customer._id', { meta: {} }),
    field('note', { masking_strategy: { strategy: 'random_string_rewrite' } }),
    plain('total'),
  ]),
  collection(
    'ticket',
    [plain('_id', { primary_key: true }), refer('customer_id', 'customer._id', { meta: {} }), field('body')],
    { erase: 'delete' },
  ),
].map((each) => ({
  ...each,
  fields: each.fields.map((of) => ('name' in of && of.name === 'customer_id' ? { ...of, data_categories: [] } : of)),
}))

/** Where something happens to the process of a request: at its nth command, before the server gets it or after. */
export interface Cut {
  readonly command: number
  readonly moment: 'before' | 'after'
  /** The process is killed, or its connection breaks off and it goes on. */
  readonly what: 'die' | 'cut'
}

/** What is left of a request when its life is over. */
export interface Ending {
  readonly failure: unknown
  readonly erased: Readonly<Record<string, string>>
  /** What the receipt says that a collection lacks, of those that lack something. */
  readonly writeLimits: Readonly<Record<string, readonly string[]>>
  readonly package: string
  readonly documents: Readonly<Record<string, readonly Document[]>>
  /** Names of the commands of the first process. */
  readonly commands: readonly string[]
  readonly wasCut: boolean
}

export interface CrashWorldOptions {
  readonly url: string
  readonly client: MongoClient
  readonly standsAlone: boolean
}

/** Prepares runs of one request in a database of their own, one after the other. */
export function crashWorld({ url, client, standsAlone }: CrashWorldOptions) {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  const db = client.db(name)

  async function refill(): Promise<void> {
    for (const [collection, rows] of Object.entries(documents)) {
      await db.collection(collection).deleteMany({})
      await db.collection(collection).insertMany([...rows])
    }
  }

  /** Runs a request in a process to which something happens, and in another one to its end. */
  async function run(policyKey: 'erase' | 'access', cut?: Cut): Promise<Ending> {
    await refill()
    const commands: string[] = []
    let wasCut = false
    let die: (() => void) | undefined
    const proxy = await mongoProxy(url, {
      standsAlone,
      onCommand(command, moment) {
        if (!die || silent.has(command)) return undefined
        if (moment === 'before') commands.push(command)
        if (wasCut || commands.length !== cut?.command || moment !== cut.moment) return undefined
        wasCut = true
        if (cut.what === 'die') die()
        return cut.what
      },
    })
    const calm = await mongoProxy(url, { standsAlone })
    const connector = mongodbConnector({ connectTimeoutSeconds: 2 })
    const { end, ...left } = await runCutOff({
      ...{ policyKey, email: ann, maxErased: 2, collections: described },
      connectors: { mortal: connector, successor: connector },
      secrets: { mortal: { url: proxy.url, database: name }, successor: { url: calm.url, database: name } },
      begin(kill) {
        die = kill
      },
      died: () => proxy.settled(),
    })
    const ending = { ...left, failure: end, documents: await stored(), commands, wasCut }
    for (const each of [proxy, calm]) await each.close()
    return ending
  }

  async function stored(): Promise<Record<string, Document[]>> {
    const found: Record<string, Document[]> = {}
    for (const collection of Object.keys(documents)) {
      found[collection] = await db.collection(collection).find().sort({ _id: 1 }).toArray()
    }
    return found
  }

  return { run, close: () => db.dropDatabase() }
}

/** Commands that the driver sends whenever it likes. */
const silent = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'])
