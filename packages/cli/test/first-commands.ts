import { expect } from 'vitest'
import type { CommandFolder, CommandRun } from './command-folder.js'

/** What a newcomer answers to the draft of the shop. */
export const answers = [
  ...['--accept', 'customer.email:identity', 'customer.name:category', 'review.body:category'],
  ...['--say', 'shop:orders.phone_number=reviewed', 'shop:orders.customer_id=from', 'shop:review.customer_id=from'],
]

const ann = ['--identity', 'email=ann@example.com']

/** From an empty folder to the erasure of Ann, in eight commands. */
export async function firstCommands(folder: CommandFolder, kind: string): Promise<void> {
  const fine = async (...args: string[]): Promise<CommandRun> => {
    const ended = await folder.run(args)
    expect(ended.exitCode, `${args.join(' ')}: ${ended.stderr}`).toBe(0)
    return ended
  }

  const made = await fine('init', '--kind', kind, '--name', 'shop', '--access', 'write')
  expect(made.stderr).toMatch(/^Written: habeas.config.ts\nshop: habeas\/shop.yml is made.\nNext: 'habeas answer'/)
  expect(made.stdout).toContain('+          - { name: street, data_categories: [ user.contact.address.street ]')

  const early = await folder.run(['check'])
  expect(early.exitCode).toBe(1)
  expect(early.stdout).toMatch(/^question shop:review\.customer_id: It is not described whether/m)
  expect(early.stderr).toMatch(/^6 problems\. 'habeas answer' walks through what is open\.\n$/)

  const answered = await fine('answer', ...answers)
  expect(answered.stdout).toMatch(/^\+.*name: email.*identity: email/m)
  expect(answered.stderr).toBe('habeas/shop.yml is changed.\nNothing is open.\n')

  expect(await fine('check')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Everything that keys and names show is described and decided.\n',
  })

  const planned = await fine('plan', '--policy', 'default_erasure_policy', ...ann)
  expect(planned.stdout).toContain('masks email (random_string_rewrite), name (null_rewrite), street (null_rewrite)')

  const found = await fine('request', 'submit', ...ann, '--output', 'ann.json')
  expect(found.stdout).toBe('shop:customer\t1\tdelivered\nshop:orders\t1\tdelivered\nshop:review\t1\tdelivered\n')
  expect(found.stderr).toMatch(/^Request pri_\S+\nWritten: ann\.json\ncomplete\n$/)
  expect(JSON.parse(folder.read('ann.json'))).toEqual({
    'shop:customer': [{ email: 'ann@example.com', name: 'Ann Lee', street: 'Main Street 1' }],
    'shop:orders': [{ phone_number: '555-0101' }],
    'shop:review': [{ body: 'Arrived early.' }],
  })

  const erased = await fine('request', 'submit', '--policy', 'default_erasure_policy', '--yes', ...ann)
  expect(erased.stdout).toContain('Rows: 3 masked.')

  folder.write('habeas/system.yml', system)
  const map = await fine('datamap')
  expect(map.stdout).toMatch(/^[^\n]*\r?\n[^\n]*web_shop/)
  expect(map.stdout).toContain('user.contact.email')
}

const system = `system:
  - service_key: web_shop
    system_type: Service
    privacy_declarations:
      - name: Orders
        data_use: provide.service
        data_categories: [user.contact]
        data_subjects: [customer]
        dataset_references: [shop]
`

/** The rows of the shop afterwards: nothing of Ann, everything of Bob. */
export function expectAnnErased(customers: unknown, orders: unknown, reviews: unknown): void {
  const masked = expect.not.stringContaining('ann')
  expect(customers).toEqual([
    { id: 1, email: masked, name: null, street: null },
    { id: 2, email: 'bob@example.com', name: 'Bob Ray', street: 'Side Street 2' },
  ])
  expect(orders).toEqual([
    { id: 1, customer_id: 1, phone_number: null },
    { id: 2, customer_id: 2, phone_number: '555-0102' },
  ])
  expect(reviews).toEqual([
    { id: 1, customer_id: 1, body: null },
    { id: 2, customer_id: 2, body: 'Arrived late.' },
    { id: 3, customer_id: null, body: 'Never arrived.' },
  ])
}
