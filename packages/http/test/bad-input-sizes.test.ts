import { describe, expect, it } from 'vitest'
import { mostDrained } from '../src/read-bytes.js'
import { type Attack, faultsOf, sharedWorld } from './attack/attacks.js'
import { callSample, type Target, targets } from './attack/calls.js'

const verbsWithBody = targets.filter(({ verb }) => verb !== 'GET')
const megabyte = 1024 * 1024

/** Pieces of at most 64 KiB, and how many of them were taken. */
function streamOf(size: number, lead = '') {
  const counted = { taken: 0, canceled: false }
  let left = size
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = counted.taken === 0 ? Buffer.from(lead) : Buffer.alloc(Math.min(65_536, left), ' ')
      counted.taken += piece.byteLength
      left -= piece.byteLength
      if (piece.byteLength > 0) controller.enqueue(piece)
      if (left <= 0) controller.close()
    },
    cancel() {
      counted.canceled = true
    },
  })
  return { stream, counted }
}

describe('a body that is too large', () => {
  it.each(verbsWithBody)('$key', async (target) => {
    const { limit } = target
    const attack = (name: string, variation: Attack['variation']): Attack => ({ name, variation, status: [413] })
    const attacks = [
      attack('one byte more', { raw: new Uint8Array(limit + 1).fill(0x20) }),
      attack('with a content length that says so', {
        raw: '{}',
        headers: { 'content-length': String(limit + 1) },
      }),
      attack('with a content length that says less', {
        raw: new Uint8Array(limit + 1).fill(0x20),
        headers: { 'content-length': '2' },
      }),
      attack('with a content length that is no number', {
        raw: new Uint8Array(limit + 1).fill(0x20),
        headers: { 'content-length': 'ten' },
      }),
      attack('one long text', { raw: `"${'a'.repeat(limit)}"` }),
    ]
    expect(await faultsOf(target, attacks)).toEqual([])
  })

  it.each(verbsWithBody)('$key takes no more of a stream than it must', async (target) => {
    const world = await sharedWorld()
    const { stream, counted } = streamOf(200 * megabyte, '{"a":"')
    const response = await callSample(target, world, { raw: stream })
    expect(response.status).toBe(413)
    expect(counted.taken).toBeLessThan(target.limit + megabyte)
    // The rest is thrown away once it is answered, and that has an end as well.
    await expect.poll(() => counted.canceled, { timeout: 10_000 }).toBe(true)
    expect(counted.taken).toBeLessThan(target.limit + mostDrained + megabyte)
  })

  it('a body of exactly the largest size is read', async () => {
    const world = await sharedWorld()
    const target = targets.find(({ key }) => key === 'POST /api/v1/registry') as Target
    const body = JSON.stringify(target.sample.body)
    const response = await callSample(target, world, { raw: body + ' '.repeat(megabyte - body.length) })
    expect(response.status).toBe(201)
    await world.restore()
  })

  it('nothing is read before a caller without rights is refused', async () => {
    const world = await sharedWorld()
    for (const target of verbsWithBody.filter(({ isOpen }) => !isOpen)) {
      const { stream, counted } = streamOf(megabyte, '{')
      const response = await callSample(target, world, { raw: stream, headers: { authorization: 'Bearer none' } })
      expect([target.key, response.status]).toEqual([target.key, 401])
      // A stream fetches its first piece by itself.
      expect(counted.taken).toBeLessThan(2)
    }
  })
})

describe('more items than one call takes', () => {
  it.each(targets.filter(({ sample }) => sample.list))('$key', async (target) => {
    const { body } = target.sample
    const many = (count: number) => Array.from({ length: count }, () => body)
    const attacks: Attack[] = [
      { name: '51', variation: { body: many(51) }, status: [422], place: ['body'] },
      {
        name: '51 of nothing',
        variation: { body: Array.from({ length: 51 }, () => null) },
        status: [422],
        place: ['body'],
      },
      { name: '300,000', variation: { raw: `[${'1,'.repeat(300_000)}1]` }, status: [422], place: ['body'] },
      { name: 'lists in lists', variation: { body: [many(2)] } },
      { name: '50', variation: { body: many(50) }, outcome: 'answered' },
    ]
    expect(await faultsOf(target, attacks)).toEqual([])
  })

  it.each(targets.filter(({ sample }) => sample.ids))('$key', async (target) => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `pri_${index}`)
    const attacks: Attack[] = [51, 1_000, 1_001, 60_000].flatMap((count) => [
      { name: `${count}`, variation: { body: ids(count) }, status: [422], place: ['body'] },
      { name: `${count} by name`, variation: { body: { request_ids: ids(count) } }, status: [422], place: ['body'] },
    ])
    expect(await faultsOf(target, attacks)).toEqual([])
  })

  it('POST /api/v1/manifest', async () => {
    const target = targets.find(({ sample }) => sample.manifest) as Target
    const registries = (count: number) => Array.from({ length: count }, (_, index) => ({ service_key: `r${index}` }))
    const attack: Attack = { name: '10,001', variation: { body: { registry: registries(10_001) } }, status: [422] }
    expect(await faultsOf(target, [attack])).toEqual([])
  })
})

describe('an answer stays within some times of what was sent', () => {
  it.each(targets.filter(({ takesBody, sample }) => takesBody && !sample.form))('$key', async (target) => {
    const world = await sharedWorld()
    const body = (target.sample.body ?? {}) as Record<string, unknown>
    // A manifest answers for each item, up to their limit.
    const items = Array.from({ length: target.sample.manifest ? 10_001 : 2_000 }, () => 1)
    const lists = Object.keys(body).filter((name) => Array.isArray(body[name]))
    const members = Object.fromEntries(items.map((_, index) => [`member_${index}`, 1]))
    for (const sent of [items, { ...body, ...members }, ...lists.map((name) => ({ ...body, [name]: items }))]) {
      const raw = JSON.stringify(sent)
      const response = await callSample(target, world, { raw })
      const times = (await response.text()).length / raw.length
      expect([response.status < 500, times < 8]).toEqual([true, true])
      await world.restore()
    }
  })
})
