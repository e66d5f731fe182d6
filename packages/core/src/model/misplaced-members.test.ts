import { describe, expect, it } from 'vitest'
import { parseDataset } from './dataset.js'

describe('a member of service_meta one level too high', () => {
  const field = (more: object) => ({ fields: [{ name: 'id', ...more }] })
  it.each<[string, object, string]>([
    ['of a dataset', { after: ['other'] }, 'after'],
    ['of a collection', { collections: [{ name: 'orders', retain: { reason: 'tax' } }] }, 'collections[0].retain'],
    [
      'of a field',
      { collections: [{ name: 'o', ...field({ read_only: true }) }] },
      'collections[0].fields[0].read_only',
    ],
    [
      'of a nested field',
      { collections: [{ name: 'o', ...field(field({ identity: 'email' })) }] },
      'collections[0].fields[0].fields[0].identity',
    ],
  ])('is refused, since it would be ignored: %s', (_, more, place) => {
    expect(() => parseDataset({ service_key: 'shop', ...more })).toThrow(
      `This dataset is not valid: ${place} belongs under 'service_meta'`,
    )
  })

  it('other unknown members are named and ignored', () => {
    const { warnings } = parseDataset({
      service_key: 'shop',
      collections: [{ name: 'orders', identity: 'email', feilds: [] }],
    })
    expect(warnings.map(({ loc }) => loc.at(-1))).toEqual(['identity', 'feilds'])
  })
})
