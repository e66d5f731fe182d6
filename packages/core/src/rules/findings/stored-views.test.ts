import { expect, test } from 'vitest'
import { collection, graphOf, key, live } from '../../../test/fixtures/planned-shop.js'
import { storedViews } from './stored-views.js'

const view = (name: string, stored: boolean, ...shows: string[]) =>
  live(name, ['id'], { view: { writable: false, shows, ...(stored && { stored: true }) } })
const catalogue = {
  collections: [
    live('customer', ['id']),
    view('moods', true, 'customer', 'visit'),
    view('pages', true, 'page'),
    view('names', false, 'customer'),
  ],
}

test.each<[Record<string, boolean>, string[]]>([
  [{}, ['moods']],
  [{ skip_processing: true }, []],
])('a materialized view of a searched table is named: %j', (meta, expected) => {
  const graph = graphOf({ collections: [collection('customer', [key()], meta)], catalogue })
  const found = storedViews(graph.nodes.get('shop:customer')!, catalogue)
  expect(found.map(({ type, loc }) => [type, loc])).toEqual(
    expected.map(() => ['materialized_view', ['shop', 'customer']]),
  )
  for (const [at, name] of expected.entries()) expect(found[at]?.message).toContain(`'${name}' keeps`)
})
