import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dataset, schemas } from '@habeas/core'
import { afterAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { datasetChange } from './dataset-change.js'

const folder = mkdtempSync(join(tmpdir(), 'habeas-change-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A draft of the dataset `shop` in a file: `customer.phone` and the collection `visit` are new. */
function drafted(text: string, name = 'shop.yml') {
  writeFileSync(join(folder, name), text)
  const { dataset } = parse(text)
  const before = {
    ...schemas.dataset.parse([dataset].flat()[0]),
    created_at: 'a',
    updated_at: 'b',
  } as unknown as Dataset
  const [customer, ...others] = before.collections
  const phone = { name: 'phone', data_categories: ['user.contact.phone_number'] }
  const visit = { name: 'visit', fields: [{ name: 'id' }, { name: 'place' }] }
  const { collections } = schemas.dataset.parse({
    service_key: 'shop',
    collections: [{ ...customer, fields: [...(customer?.fields ?? []), phone] }, ...others, visit],
  })
  const after = { ...before, collections } as Dataset
  const change = datasetChange({ folder, files: [name], unset: () => [] }, after, { before, connectionKey: 'shop' })
  if (!change) throw new Error('nothing changes')
  return change
}

const layouts: Readonly<Record<string, string>> = {
  'an ordinary file': `# top
dataset:
  - service_key: shop   # key
    connection_key: shop
    collections:
      - name: customer # tail
        fields:
          - {name: id,   service_meta: {primary_key: true}} # pk
          - name:   'email'
            data_categories: [ user.contact.email,   user.name ] # mine
# the end
`,
  'two blank lines in a row': `dataset:
  - service_key: shop
    collections:


      - name: customer
        fields:
          - {name: id}


          - {name: email}   # two



system:
  # a system
  - service_key: web
`,
  'lists that are not indented': `dataset:
- service_key: shop
  collections:
  - name: customer
    data_categories:
    - user.name
    fields:
    - name: id
    - name:  email # e
`,
  'lists that are indented in places': `dataset:
  - service_key: shop
    collections:
      - name: customer
        data_categories:
        - user.name
        fields:
          - name: id   # pk
          - {name:   email}
`,
  'folded and wrapped text': `dataset:
  - service_key: shop
    description: Orders of the
      shop.
    collections:
      - name: customer   # tail
        description: >
          A long folded text
          that goes on.

        # a comment
        fields:
          - name: id
            description: "a text
              that goes on"
          - {name: email}
`,
  'a document that begins and ends': `---
# c
dataset:
  - service_key: shop
    collections:
      - name: customer
        fields:
          - name: id # pk
...
`,
  'what people write everywhere': `---
# about the shop
dataset:
- service_key: shop
  description: >-
    Orders of
    the shop.
  collections:
  - name: "customer"
    data_categories:
    - user
    description: |
      One customer.

      # no comment
    fields:
      - {name: id, service_meta: {primary_key: true}}   # inline comment
      - name: 'email'
        data_categories: [
          user.contact.email,   # to write to
          user.name
        ]
      # - name: fax
      #   data_categories: [user.contact]
    # end of customers comment

  - name: orders  #\tbought

    fields:
    - name: id   # pk
# end of the datasets

# who works with it
system:
- service_key: web
`,
  'lines of Windows':
    'dataset:\r\n- service_key: shop\r\n  collections:\r\n  - name: customer\r\n    fields:\r\n    - {name: id}   # pk\r\n\r\n# end',
  'a key that comes from the name': `dataset:
  - name: Shop # derived
    collections:
      - name: customer
        fields:
          - name: id
`,
  'a key by an alias': `dataset:
  - connection_key: &k shop
    service_key: *k
    description: &n customer
    collections:
      - name: *n
        fields:
          - { name:   id }
`,
}

it.each(Object.keys(layouts))('a draft leaves every line of %s', (name) => {
  const old = layouts[name] ?? ''
  const { text, isRewritten } = drafted(old)
  expect(isRewritten).toBe(false)
  const lines = text.split('\n')
  let above = 0
  for (const line of old.split('\n')) {
    const at = lines.indexOf(line, above)
    expect(at, `${line}\n${text}`).not.toBe(-1)
    above = at + 1
  }
  const { dataset } = parse(text)
  expect(dataset).toHaveLength(1)
  const names = dataset[0].collections.map(({ name }: { name: string }) => name)
  expect([names[0], names.at(-1)]).toEqual(['customer', 'visit'])
  expect(dataset[0].collections[0].fields.at(-1)).toMatchObject({ name: 'phone' })
  expect(text).not.toContain('created_at')
})

it('YAML that begins with a brace stays YAML, with its comments and lines', () => {
  const old = `{ dataset: [ { service_key: shop, # the key
  collections: [ { name: customer, fields: [ { name: id } ] } ] } ] }
`
  const { text, isRewritten } = drafted(old)
  expect(text).toContain(
    '{ dataset: [ { service_key: shop, # the key\n  collections: [ { name: customer, fields: [ { name: id }, ',
  )
  expect(parse(text).dataset[0].collections).toHaveLength(2)
  expect(isRewritten).toBe(false)
})

it('JSON stays JSON, indented as before, and says where its other lines change', () => {
  const value = { dataset: [{ service_key: 'shop', collections: [{ name: 'customer', fields: [{ name: 'id' }] }] }] }
  const kept = drafted(`${JSON.stringify(value, null, 4)}\n`, 'shop.json')
  expect(kept.text).toMatch(/^ {4}"dataset"/m)
  expect([JSON.parse(kept.text).dataset[0].collections.length, kept.isRewritten]).toEqual([2, false])
  expect(drafted(JSON.stringify(value), 'shop.json').isRewritten).toBe(true)
})
