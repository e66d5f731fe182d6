import { expect, it } from 'vitest'
import type { Picture, PictureNode } from '../picture/picture.js'
import { searchTexts, shownNodes } from './shown-nodes.js'

const node = (kind: PictureNode['kind'], label: string, more: Partial<PictureNode> = {}): PictureNode => ({
  ...{ kind, label, key: label.toLowerCase(), note: '', rank: 0, facets: [], words: [], sections: [] },
  ...more,
})
const picture: Picture = {
  ...{ title: '', summary: '', kinds: [], legend: [] },
  filters: [],
  nodes: [
    node('system', 'Shop', {
      facets: [
        [[0], [1]],
        [[2], [3]],
      ],
    }),
    node('dataset', 'Store', { words: ['Invoice'], facets: [[[0], [1]]] }),
    node('category', 'Name', { facets: [[[0], []]] }),
    node('system', 'Alone'),
  ],
  edges: [
    { from: 0, to: 1, kind: 'uses', label: '' },
    { from: 1, to: 2, kind: 'holds', label: '' },
  ],
}
const nothing = { query: '', choices: [undefined, undefined], around: undefined }
const shown = (asked: Partial<Parameters<typeof shownNodes>[2]>) =>
  shownNodes(picture, searchTexts(picture), { ...nothing, ...asked })

it('shows everything where nothing is asked for', () => {
  expect(shown({})).toEqual({ matched: [0, 1, 2, 3], drawn: [0, 1, 2, 3] })
})

it('finds words in any case, all of them, and draws what is connected', () => {
  expect(shown({ query: 'INVOICE' })).toEqual({ matched: [1], drawn: [0, 1, 2] })
  expect(shown({ query: 'store invoice' }).matched).toEqual([1])
  expect(shown({ query: 'shop invoice' }).matched).toEqual([])
})

it('holds all choices against one facet', () => {
  expect(shown({ choices: [0, undefined] }).matched).toEqual([0, 1, 2])
  expect(shown({ choices: [0, 1] }).matched).toEqual([0, 1])
  expect(shown({ choices: [0, 3] }).matched).toEqual([])
  expect(shown({ query: 'store', choices: [2, undefined] })).toEqual({ matched: [], drawn: [] })
})

it('draws the surroundings of a node: from a system also what its datasets hold', () => {
  expect(shown({ around: 0 }).drawn).toEqual([0, 1, 2])
  expect(shown({ around: 2 }).drawn).toEqual([1, 2])
  expect(shown({ around: 3 }).drawn).toEqual([3])
})
