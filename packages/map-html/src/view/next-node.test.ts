import { expect, it } from 'vitest'
import { nextNode } from './next-node.js'

const nodes = [
  { at: 4, x: 0, y: 0 },
  { at: 5, x: 0, y: 60 },
  { at: 6, x: 300, y: 10 },
  { at: 7, x: 200, y: 200 },
]

it('goes to the nearest node in a direction', () => {
  expect(nextNode(nodes, 4, 'ArrowDown')).toBe(5)
  expect(nextNode(nodes, 5, 'ArrowUp')).toBe(4)
  expect(nextNode(nodes, 4, 'ArrowRight')).toBe(6)
  expect(nextNode(nodes, 6, 'ArrowLeft')).toBe(4)
})

it('begins with the first node, and stays where nothing follows', () => {
  expect(nextNode(nodes, undefined, 'ArrowDown')).toBe(4)
  expect(nextNode(nodes, 4, 'ArrowLeft')).toBeUndefined()
  expect(nextNode(nodes, 4, 'a')).toBeUndefined()
  expect(nextNode([], undefined, 'ArrowDown')).toBeUndefined()
})
