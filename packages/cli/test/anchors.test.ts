import { beforeAll, beforeEach, expect, it } from 'vitest'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const { folder, query } = postgresShop(shopFiles)
const described = (orders: string, review: string) => `dataset:
  - service_key: shop
    connection_key: shop
    collections:
      - name: customer
        fields:
          - &id { name: id, service_meta: { primary_key: true } }
          - { name: email, data_categories: [user.contact.email], service_meta: { identity: email } }
          - { name: name, data_categories: [user.name] }
          - { name: street, data_categories: [user.contact.address.street] }
      - name: orders
        fields:
          - *id
          - { name: customer_id, ${orders} }
          - { name: phone_number, data_categories: [user.contact.phone_number], service_meta: { reviewed: true } }
      - name: review
        fields:
          - *id
          - { name: customer_id, ${review} } # whose?
          - { name: body, data_categories: [user] }
`
const open = 'service_meta: &customer { references: [{ dataset: shop, field: customer.id }] }'

beforeAll(() => query(...shopTables, 'alter table orders alter column customer_id drop not null'))
beforeEach(() => folder.write('habeas/shop.yml', described(open, 'service_meta: *customer')))

it('an answer for one field leaves those alone that share its description by an alias', async () => {
  const { exitCode, stderr } = await folder.run(['answer', '--say', 'shop:review.customer_id=from'])
  expect(exitCode, stderr).toBe(1)
  const ownMeta = 'service_meta: { references: [ { dataset: shop, field: customer.id, direction: from } ] }'
  expect(folder.read('habeas/shop.yml')).toBe(described(open, ownMeta))
})

it('an answer for the field with the anchor leaves those with the alias as they were', async () => {
  const { exitCode, stderr } = await folder.run(['answer', '--say', 'shop:orders.customer_id=none'])
  expect(exitCode, stderr).toBe(1)
  const text = folder.read('habeas/shop.yml')
  expect(text.match(/direction/g)).toEqual(['direction'])
  expect(text).toContain('customer_id, service_meta: &customer {')
  expect(text).toMatch(/customer_id, service_meta: \{ references: .*\} \} # whose\?/)
  expect((await folder.run(['answer'])).stdout).toContain('shop:review.customer_id is open')
})

it('a field that stands elsewhere is not written again', async () => {
  await query('alter table review add column title text')
  const { exitCode, stderr } = await folder.run(['draft'])
  await query('alter table review drop column title')
  expect(exitCode, stderr).toBe(0)
  const text = folder.read('habeas/shop.yml')
  expect(text).toContain('name: title')
  expect(text.match(/- \*id$/gm)).toHaveLength(2)
  expect(text.match(/name: id,/g)).toHaveLength(1)
})
