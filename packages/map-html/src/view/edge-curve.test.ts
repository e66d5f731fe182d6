import { expect, it } from 'vitest'
import { edgeCurve } from './edge-curve.js'

const at = (x: number, y: number) => ({ x, y, width: 100 })
const left = { side: 'left', further: 0 } as const

it('leaves on the side that faces the other node', () => {
  expect(edgeCurve(at(0, 0), at(400, 0), left)).toEqual({
    ...{ sourceEnd: '50% 0', targetEnd: '-50% 0', distances: [0, 0] },
    weights: [expect.closeTo(0.38), expect.closeTo(0.62)],
  })
  expect(edgeCurve(at(400, 0), at(0, 0), left)).toMatchObject({ sourceEnd: '-50% 0', targetEnd: '50% 0' })
})

it('runs around one side between nodes of one column, farther beside others', () => {
  const near = edgeCurve(at(0, 0), at(0, 200), left)
  expect(near).toMatchObject({ sourceEnd: '-50% 0', targetEnd: '-50% 0', weights: [0, 1] })
  const far = edgeCurve(at(0, 0), at(0, 200), { side: 'left', further: 16 })
  expect(Math.abs(far.distances[0] ?? 0)).toBeCloseTo(Math.abs(near.distances[0] ?? 0) + 16)
  const right = edgeCurve(at(0, 0), at(0, 200), { side: 'right', further: 0 })
  expect(Math.sign(right.distances[0] ?? 0)).toBe(-Math.sign(near.distances[0] ?? 0))
})
