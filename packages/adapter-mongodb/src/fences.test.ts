import { type Collection, MongoServerError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { type FenceDocument, fences } from './fences.js'

interface Call {
  readonly filter: { readonly _id: string; readonly ended?: number }
  readonly update: { readonly $inc?: { readonly ended?: number; readonly written?: number } }
  readonly options: { readonly upsert?: boolean; readonly session?: unknown; readonly writeConcern?: unknown }
}

/** Fence documents in memory. `failing` gives the error of a write before it has an effect. */
function collectionOf(failing: (call: Call) => Error | undefined = () => undefined) {
  const documents = new Map<string, number>()
  const calls: Call[] = []
  const collection = {
    async findOne({ _id }: { _id: string }) {
      const ended = documents.get(_id)
      return ended === undefined ? null : { _id, ended }
    },
    async updateOne(filter: Call['filter'], update: Call['update'], options: Call['options']) {
      const call = { filter, update, options }
      calls.push(call)
      const error = failing(call)
      if (error) throw error
      const held = documents.get(filter._id)
      const isMet = held !== undefined && (filter.ended === undefined || filter.ended === held)
      if (isMet || options.upsert) documents.set(filter._id, (held ?? 0) + (update.$inc?.ended ?? 0))
      return { matchedCount: isMet ? 1 : 0 }
    },
  }
  return { documents, calls, fenced: fences(collection as unknown as Collection<FenceDocument>, 5_000) }
}

const session = {} as never
const majority = { w: 'majority', wtimeoutMS: 5_000, journal: true }
const conflict = () => new MongoServerError({ message: 'WriteConflict', code: 112 })
const fence = (confirm: () => Promise<void> = async () => {}) => ({ lock: 'request', confirm })

describe('a batch', () => {
  it('commits while nobody has taken the erasure over', async () => {
    const { calls, fenced } = collectionOf()
    const ended = await fenced.begun('request')
    await fenced.pass(fence(), ended, session)
    expect(calls.map(({ filter, options }) => ({ filter, options }))).toEqual([
      { filter: { _id: 'request' }, options: { upsert: true, writeConcern: majority, maxTimeMS: 5_000 } },
      { filter: { _id: 'request', ended: 0 }, options: { session, maxTimeMS: 5_000 } },
    ])
  })

  it('does not where somebody has since it began', async () => {
    const { fenced } = collectionOf()
    const ended = await fenced.begun('request')
    await fenced.end('request', new AbortController().signal)
    await expect(fenced.pass(fence(), ended, session)).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('Another worker has taken this erasure over'),
    })
    await expect(fenced.pass(fence(), await fenced.begun('request'), session)).resolves.toBeUndefined()
  })

  it('says what the service says, if that already knows', async () => {
    const { fenced } = collectionOf()
    const lost = new Error('the lease is lost')
    await fenced.begun('request')
    await expect(
      fenced.pass(
        fence(() => Promise.reject(lost)),
        7,
        session,
      ),
    ).rejects.toBe(lost)
  })

  it('is repeated where another batch of the same worker wrote the fence', async () => {
    const { fenced } = collectionOf(({ options }) => (options.session ? conflict() : undefined))
    const ended = await fenced.begun('request')
    await expect(fenced.pass(fence(), ended, session)).rejects.toMatchObject({ code: 112 })
  })

  it('is not where the conflict comes from the worker that took it over', async () => {
    const { documents, fenced } = collectionOf(({ options }) => (options.session ? conflict() : undefined))
    const ended = await fenced.begun('request')
    documents.set('request', 1)
    await expect(fenced.pass(fence(), ended, session)).rejects.toThrow(/Another worker/)
  })
})

describe('the fence of a request', () => {
  it('is made once, also by two at the same time', async () => {
    const { documents, fenced } = collectionOf()
    documents.set('request', 3)
    expect(await fenced.begun('request')).toBe(3)
    const twice = collectionOf(() => {
      twice.documents.set('other', 0)
      return new MongoServerError({ message: 'E11000', code: 11_000 })
    })
    expect(await twice.fenced.begun('other')).toBe(0)
  })

  it('is not taken for made where the write fails', async () => {
    const denied = new MongoServerError({ message: 'not authorized', code: 13 })
    await expect(collectionOf(() => denied).fenced.begun('request')).rejects.toBe(denied)
  })
})

describe('ending the writes of another worker', () => {
  it('waits while its transaction holds the fence', async () => {
    let left = 2
    const { documents, calls, fenced } = collectionOf(() => (left-- > 0 ? conflict() : undefined))
    await fenced.end('request', new AbortController().signal)
    expect([documents.get('request'), calls.length]).toEqual([1, 3])
    expect(calls[2]?.options).toEqual({ upsert: true, writeConcern: majority, maxTimeMS: 5_000 })
  })

  it('stops with its signal', async () => {
    const stopping = new AbortController()
    const { fenced } = collectionOf(() => {
      stopping.abort(new Error('stopped'))
      return conflict()
    })
    await expect(fenced.end('request', stopping.signal)).rejects.toThrow('stopped')
  })

  it('fails where the server fails', async () => {
    const denied = new MongoServerError({ message: 'not authorized', code: 13 })
    const { fenced } = collectionOf(() => denied)
    await expect(fenced.end('request', new AbortController().signal)).rejects.toBe(denied)
  })
})
