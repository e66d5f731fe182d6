import fc from 'fast-check'
import { expect, it } from 'vitest'
import { arrange } from './arrange.js'
import { cell } from './placeable.js'

const window = { shape: 1.4, gap: 120 }
const nodes = (count: number, groups = 7) =>
  Array.from({ length: count }, (_, at) => ({ rank: at % 3, group: at % groups === 0 ? '' : `group ${at % groups}` }))

it('puts ranks beside each other, and connected nodes at one height', () => {
  const ranked = [0, 0, 1, 1].map((rank) => ({ rank }))
  const crossed = [
    { from: 0, to: 3 },
    { from: 1, to: 2 },
  ]
  const { positions, panels } = arrange(ranked, crossed, window)
  expect(panels).toEqual([])
  const [first, second, third, fourth] = positions
  expect(first?.x).toBe(second?.x)
  expect(third?.x).toBeGreaterThan((first?.x ?? 0) + cell.width)
  expect(first?.y).toBe(fourth?.y)
  expect(second?.y).toBe(third?.y)
})

it('leaves less room where no edge runs', () => {
  const apart = (edges: { from: number; to: number }[]) =>
    arrange([{ rank: 0 }, { rank: 1 }], edges, window).positions[1]?.x ?? 0
  expect(apart([])).toBeLessThan(apart([{ from: 0, to: 1 }]))
})

it('puts many nodes into blocks of their groups', () => {
  const many = nodes(1500)
  const { positions, panels } = arrange(many, [], window)
  expect(panels).toHaveLength(7)
  expect(panels.map(({ text }) => text.replace(/ · \d+$/, ''))).toContain('Others')
  for (const [at, { group }] of many.entries()) {
    const panel = panels.find(({ text }) => text.startsWith(`${group || 'Others'} ·`))
    const { x, y } = positions[at] as { x: number; y: number }
    expect(Math.abs(x - (panel?.x ?? 0)) * 2).toBeLessThan(panel?.width ?? 0)
    expect(Math.abs(y - (panel?.y ?? 0)) * 2).toBeLessThan(panel?.height ?? 0)
  }
})

it('puts no two nodes into one place, and each time into the same', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0.4, max: 3, noNaN: true }),
      (count, groups, shape) => {
        const given = nodes(count, groups)
        const edges = given.slice(1).map((_, at) => ({ from: at, to: (at * 7 + 1) % count }))
        const first = arrange(given, edges, { shape, gap: 120 })
        expect(new Set(first.positions.map(({ x, y }) => `${x} ${y}`)).size).toBe(count)
        expect(arrange(given, edges, { shape, gap: 120 })).toEqual(first)
      },
    ),
    { numRuns: 60 },
  )
})
