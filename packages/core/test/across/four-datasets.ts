import type { CollectionInput, DatasetInput } from '@habeas/core'

/* What is said of the four databases. Every reference leads down from rows of a person, and half of them to another database. */

const from = (field: string) => {
  const [dataset, ...rest] = field.split(':') as [string, string]
  return { references: [{ dataset, field: rest.join(':'), direction: 'from' as const }] }
}
const key = (name = 'id') => ({ name, service_meta: { primary_key: true } })
const personal = (name: string) => ({ name, data_categories: ['user.content'] })

const owned = (
  name: string,
  reference: string,
  owner: string,
  text: string,
  options: { erase?: 'delete'; key?: string } = {},
): CollectionInput => ({
  name,
  ...(options.erase && { service_meta: { erase: options.erase } }),
  fields: [key(options.key), { name: reference, service_meta: from(owner) }, personal(text), { name: 'whose' }],
})

export const datasets: readonly DatasetInput[] = [
  {
    service_key: 'shop',
    collections: [
      {
        name: 'customer',
        fields: [
          key(),
          { name: 'account' },
          { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
          { name: 'name', data_categories: ['user.name'] },
          { name: 'whose' },
        ],
      },
      owned('orders', 'customer_id', 'shop:customer.id', 'note'),
      owned('dispute', 'invoice_id', 'billing:invoice.id', 'reason'),
      owned('review', 'profile', 'app:profile._id', 'words'),
      owned('ticket', 'event', 'events:event.id', 'body', { erase: 'delete' }),
      owned('viewed', 'badge', 'app:badge._id', 'remark'),
    ],
  },
  {
    service_key: 'app',
    collections: [
      {
        name: 'profile',
        fields: [
          key('_id'),
          { name: 'customer', service_meta: from('shop:customer.id') },
          personal('nick'),
          { name: 'home', fields: [personal('city'), { name: 'floor' }] },
          { name: 'whose' },
        ],
      },
      owned('message', 'profile', 'app:profile._id', 'body', { key: '_id' }),
      owned('badge', 'event', 'events:event.id', 'label', { key: '_id' }),
      owned('reminder', 'invoice', 'billing:invoice.id', 'words', { key: '_id', erase: 'delete' }),
    ],
  },
  {
    service_key: 'events',
    collections: [
      owned('event', 'account', 'shop:customer.account', 'ip'),
      owned('click', 'profile', 'app:profile._id', 'url'),
      owned('charge', 'invoice_id', 'billing:invoice.id', 'card', { erase: 'delete' }),
    ],
  },
  {
    service_key: 'billing',
    collections: [
      owned('invoice', 'order_id', 'shop:orders.id', 'address'),
      owned('statement', 'profile', 'app:profile._id', 'words'),
      owned('slip', 'event', 'events:event.id', 'words', { erase: 'delete' }),
    ],
  },
]
