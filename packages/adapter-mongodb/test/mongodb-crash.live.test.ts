import { MongoClient } from 'mongodb'
import { afterAll, describe, expect, it } from 'vitest'
import { type Cut, crashWorld } from './crash-world.js'
import { serverUrl } from './server-url.js'

let client: MongoClient | undefined
const clientOf = () => {
  client ??= new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
  return client
}
afterAll(async () => client?.close())

describe.each([
  ['with transactions', false],
  ['without transactions', true],
])('on a server %s', (_, standsAlone) => {
  it.each([
    ['access', 'is killed', 'die'],
    ['access', 'loses its connection', 'cut'],
    ['erase', 'is killed', 'die'],
    ['erase', 'loses its connection', 'cut'],
  ] as const)('%s has the same end whichever command it is at which its process %s', async (policy, _, what) => {
    const open = () => crashWorld({ url: serverUrl(), client: clientOf(), standsAlone })
    const calm = open()
    const { commands, wasCut: _wasNot, ...whole } = await calm.run(policy)
    await calm.close()
    expect(whole.failure).toBe('complete')
    if (policy === 'access') expect(JSON.parse(whole.package)['shop:orders']).toHaveLength(4)
    else {
      expect(whole.erased).toEqual({
        'shop:customer': 'masked 2',
        'shop:orders': 'masked 4',
        'shop:ticket': 'erased 2',
      })
      // what an overtaken worker may still do is said of each collection
      const lacking = standsAlone ? ['transactions', 'row_locks', 'fencing'] : ['row_locks']
      expect(Object.values(whole.writeLimits)).toEqual([lacking, lacking, lacking])
    }

    const cuts = commands.flatMap((_, at): Cut[] =>
      (['before', 'after'] as const).map((moment) => ({ command: at + 1, moment, what })),
    )
    let wereCut = 0
    const attend = async () => {
      const world = open()
      for (let cut = cuts.shift(); cut !== undefined; cut = cuts.shift()) {
        const { commands: sent, wasCut, ...ending } = await world.run(policy, cut)
        const where = `${cut.moment} command ${cut.command} (${sent[cut.command - 1]})`
        expect([where, ending]).toEqual([where, whole])
        if (wasCut) wereCut++
      }
      await world.close()
    }
    await Promise.all([attend(), attend(), attend()])
    expect(wereCut).toBeGreaterThanOrEqual(commands.length)
  })
})
