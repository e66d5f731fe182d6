import type { DescribedDataset } from '../../src/results/html/described-dataset.js'
import type { HtmlPackageOptions } from '../../src/results/html/html-package.js'
import type { PackageContent } from '../../src/results/package-content.js'
import { content, section } from './sections.js'

/** What a person of a shop might receive: one wide record, short rows, many rows, long texts, nesting, other scripts. */
export function shopPackage(): { content: PackageContent; options: HtmlPackageOptions } {
  return { content: content(sections(), { manual, notSearched }), options }
}

const sections = () => [
  section('shop:customer', [
    {
      id: 70412,
      email: 'jane.doe@example.com',
      first_name: 'Jane',
      last_name: 'Doe',
      phone_number: '+49 30 5550 1234',
      birth_date: '1984-02-29',
      newsletter: true,
      blocked: false,
      referred_by: null,
      created_at: '2016-09-27T08:14:09.482Z',
      address: { street: 'Lindenallee 4', city: 'Köln', geo: { lat: 50.9413, lon: 6.9583 } },
      tags: ['regular', 'early access', 'returns'],
    },
  ]),
  section('shop:orders', orders(1234)),
  section('shop:returns', [
    { id: 1, order_id: 3, reason: 'too small', refund: '49.90' },
    { id: 2, order_id: 88, reason: 'arrived broken', refund: '7.25' },
  ]),
  section('support:conversations', [
    {
      subject: 'Where is my parcel?',
      opened: '2024-05-01T10:20:30+02:00',
      messages: [
        {
          from: 'Jane',
          at: '2024-05-01T10:20:30+02:00',
          text: 'Hello,\nthe parcel has not come.\n\nBest wishes\nJane',
        },
        { from: 'Support', at: '2024-05-01T12:01:00+02:00', text: 'We are looking into it – sorry!' },
      ],
    },
    {
      subject: 'أين طردي؟',
      opened: '2024-06-11T09:00:00+02:00',
      messages: [{ from: 'Jane', at: '2024-06-11T09:00:00+02:00', text: 'أين طردي؟ رقم الطلب 1044' }],
    },
    { subject: 'A long story', opened: null, messages: [{ from: 'Jane', text: 'It was a dark night. '.repeat(300) }] },
  ]),
]

const states = ['delivered', 'delivered', 'returned', 'delivered', 'canceled']

function orders(count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    id: 1000 + at,
    placed_at: new Date(Date.UTC(2017, 0, 3) + at * 86_400_000 * 2.6).toISOString(),
    status: states[at % states.length],
    total: ((at * 7919) % 20_000) / 100,
    gift: at % 9 === 0,
    note: at % 4 === 0 ? 'Leave with the neighbour' : null,
  }))
}

const manual = [
  {
    webhook: 'paper_archive',
    name: 'Paper archive',
    data: { contract_number: 'A-1991/77', pages: 12, letters: ['14 May 1991', '2 June 1993'], remarks: null },
  },
  { webhook: 'cctv', name: 'Cameras at the store', data: {} },
]

const notSearched = [
  { collection: 'warehouse:parcels', reason: 'disabled' },
  { collection: 'crm:person', reason: 'identity not provided: phone_number' },
]

const datasets: DescribedDataset[] = [
  {
    key: 'shop',
    name: 'Web shop',
    description: 'Everything you see under “My account”, and what we need to send parcels and to write invoices.',
    collections: [
      {
        name: 'customer',
        description: 'Your customer account.',
        uses: [
          { system: 'Shop backend', use: 'Providing the service', name: 'Keep customer accounts' },
          { system: 'Mailing list', use: 'Marketing by email' },
        ],
        fields: [
          { path: ['id'], description: 'The number of your account.', categories: ['Unique ID'] },
          { path: ['email'], description: 'Where we write to you.', categories: ['Email address'] },
          { path: ['birth_date'], description: 'Asked for when you buy spirits.', categories: ['Date of birth'] },
          { path: ['address', 'geo'], categories: ['Precise location'] },
          { path: ['tags'], description: 'Notes of our staff that sort customers into groups.', categories: [] },
        ],
      },
      {
        name: 'orders',
        description: 'What you ordered, and what became of it.',
        uses: [{ system: 'Shop backend', use: 'Providing the service', name: 'Fulfil orders' }],
        fields: [
          { path: ['total'], description: 'In euros, with taxes.', categories: ['Purchase history'] },
          { path: ['note'], description: 'What you wrote to the carrier.', categories: ['Free text'] },
        ],
      },
    ],
  },
  {
    key: 'support',
    name: 'Customer support',
    collections: [
      {
        name: 'conversations',
        description: 'Letters between you and our support.',
        uses: [{ system: 'Help desk', use: 'Customer support' }],
        fields: [],
      },
    ],
  },
  { key: 'warehouse', name: 'Warehouse', collections: [] },
]

const options: HtmlPackageOptions = {
  requestId: 'pri_0199d3c0-7c1e-7a52-b3a4-5f0c7d2f9a10',
  preparedAt: new Date('2024-07-01T09:30:00Z'),
  organization: 'Linden & Sons',
  datasets,
}
