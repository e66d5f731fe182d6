import { expect, test } from 'vitest'
import { collection, graphOf, key, live } from '../../../test/fixtures/planned-shop.js'
import { storedViews, unaskedCopies } from './stored-views.js'

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

test('a materialized view says how to settle it, and asks for nothing once somebody has said who refreshes it', () => {
  const found = (reason?: string) => {
    const collections = [
      collection('customer', [key()]),
      { name: 'moods', fields: [], service_meta: { skip_processing: true, ...(reason && { waived: { reason } }) } },
    ]
    const [only] = storedViews(graphOf({ collections, catalogue }).nodes.get('shop:customer')!, catalogue)
    return only
  }
  expect(found()).toMatchObject({
    severity: 'warning',
    message: expect.stringMatching(
      /say on 'moods' who or what refreshes it \(service_meta: \{waived: \{reason: …\}\}\)\.$/,
    ),
  })
  expect(found('it is refreshed every night')?.severity).toBe('info')
})

test('a copy of a searched table is named, unless it is described itself', () => {
  const copied = {
    collections: [
      live('customer', ['id']),
      live('customer_may', ['id'], { copyOf: 'customer', view: { writable: false, shows: ['customer'] } }),
      live('customer_test', ['id'], { copyOf: 'customer' }),
      live('visit_test', ['id'], { copyOf: 'visit' }),
    ],
  }
  const found = (...names: string[]) => {
    const collections = ['customer', ...names].map((name) => collection(name, [key()]))
    const node = graphOf({ collections, catalogue: copied }).nodes.get('shop:customer')!
    return storedViews(node, copied).map(({ type, message }) => [type, message])
  }
  expect(found()).toEqual([
    ['kept_copy', expect.stringMatching(/^'customer_may' is a copy .* delete it, and make a new one/)],
    ['kept_copy', expect.stringMatching(/^'customer_test' has rows .* describe it as a collection of its own/)],
  ])
  expect(found('customer_test')).toHaveLength(1)
})

test('clones and streams of a searched table are named, wherever they are', () => {
  const keptIn = [
    { name: 'customer_test', kind: 'clone' as const },
    { name: 'old.customer', kind: 'clone' as const },
    { name: 'customer_changes', kind: 'stream' as const },
  ]
  const catalogue = { collections: [live('customer', ['id'], { keptIn }), live('customer_test', ['id'])] }
  const found = (...names: string[]) => {
    const collections = ['customer', ...names].map((name) => collection(name, [key()]))
    const node = graphOf({ collections, catalogue }).nodes.get('shop:customer')!
    return storedViews(node, catalogue).map(({ type, message }) => [type, message])
  }
  const elsewhere = [
    ['kept_copy', expect.stringMatching(/^'old\.customer' has rows of 'shop:customer' .* cloned/)],
    ['kept_copy', expect.stringMatching(/^The stream 'customer_changes' shows .* 'shop:customer'/)],
  ]
  expect(found()).toEqual([['kept_copy', expect.stringContaining("'customer_test'")], ...elsewhere])
  expect(found('customer_test')).toEqual(elsewhere)
})

test('a history that the database itself keeps is named', () => {
  const keptIn = [{ name: 'shop.customer', kind: 'history' as const }]
  const catalogue = { collections: [live('customer', ['id'], { keptIn })] }
  const node = graphOf({ collections: [collection('customer', [key()])], catalogue }).nodes.get('shop:customer')!
  expect(storedViews(node, catalogue).map(({ type, message }) => [type, message])).toEqual([
    ['kept_copy', expect.stringMatching(/^The database keeps every row of 'shop:customer' .*DELETE HISTORY FROM/)],
  ])
})

test('continuous aggregates and compressed chunks of a searched table are named, described or not', () => {
  const keptIn = [
    { name: 'visits_by_day', kind: 'aggregate' as const },
    { name: 'visit', kind: 'compressed' as const },
  ]
  const catalogue = { collections: [live('visit', ['id'], { keptIn }), live('visits_by_day', ['id'])] }
  const collections = [collection('visit', [key()]), collection('visits_by_day', [key()])]
  const node = graphOf({ collections, catalogue }).nodes.get('shop:visit')!
  expect(storedViews(node, catalogue).map(({ type, message }) => [type, message])).toEqual([
    [
      'kept_copy',
      expect.stringMatching(/^The continuous aggregate 'visits_by_day' keeps .* 'shop:visit'.*: refresh it/),
    ],
    ['kept_copy', expect.stringMatching(/^Chunks of 'shop:visit' are compressed\..* decompress these chunks before/)],
  ])
})

test('triggers are named, described or not, and columns of large objects where an erasure concerns them', () => {
  const keptIn = [
    { name: 'customer', kind: 'trigger' as const },
    { name: 'cv', kind: 'large_object' as const },
    { name: 'made_by', kind: 'large_object' as const },
  ]
  const catalogue = { collections: [live('customer', ['id', 'cv', 'made_by'], { keptIn })] }
  const found = (erase: 'mask' | 'delete') => {
    const fields = [key(), { name: 'cv', data_categories: ['user'] }, { name: 'made_by' }]
    const collections = [{ ...collection('customer', fields as never), service_meta: { erase } }]
    const node = graphOf({ collections: collections as never, catalogue }).nodes.get('shop:customer')!
    return storedViews(node, catalogue).map(({ message }) => message)
  }
  const trigger = expect.stringMatching(/^The trigger 'customer' runs when rows of 'shop:customer' .* may copy/)
  const objects = (name: string) =>
    expect.stringMatching(new RegExp(`^The column '${name}' .* large objects.*lo_unlink`))
  expect(found('mask')).toEqual([trigger, objects('cv')])
  expect(found('delete')).toEqual([trigger, objects('cv'), objects('made_by')])
})

test('copies that nobody may ask for are a finding of the dataset', () => {
  expect(unaskedCopies('shop', {})).toEqual([])
  const [found] = unaskedCopies('shop', { unasked: ['clone', 'stream'] })
  expect(found).toMatchObject({
    type: 'kept_copy',
    loc: ['shop'],
    message: expect.stringContaining('clones and streams'),
  })
})
