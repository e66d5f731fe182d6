import { describe, expect, it } from 'vitest'
import { callSample, targets } from './attack/calls.js'
import { attackedWorld } from './attack/world.js'

describe('every sample is answered with success, so that only its variation is refused', () => {
  it.each(targets)('$key', async (target) => {
    const world = await attackedWorld()
    const response = await callSample(target, world)
    const text = await response.text()
    const { refused } = target.sample
    const asSaid = refused === undefined ? response.status < 300 : response.status === refused
    expect([response.status, asSaid ? '' : text]).toEqual([response.status, ''])
    expect(world.unforeseen).toEqual([])
    await world.close()
  })
})
