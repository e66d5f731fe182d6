import { generateKeyPairSync } from 'node:crypto'
import type { StoredTable } from './double-statements.js'
import type { DoubleAccount } from './service-double.js'

const pair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

export const [ownKeys, otherKeys] = [pair(), pair()]

const people = (): StoredTable => ({
  name: 'PEOPLE',
  columns: [
    { name: 'ID', type: 'NUMBER', nullable: false },
    { name: 'EMAIL', type: 'TEXT', length: 40, nullable: false },
    { name: 'NAME', type: 'TEXT', length: 10 },
    { name: 'REGION', type: 'TEXT' },
  ],
  rows: [
    { ID: '1', EMAIL: 'jane@example.com', NAME: 'Jane', REGION: null },
    { ID: '2', EMAIL: 'john@example.com', NAME: 'John', REGION: 'EU' },
  ],
})

/** An account with one schema of people, and a user of each sort. */
export function peopleAccount(change: Partial<DoubleAccount> = {}): DoubleAccount & { readonly people: StoredTable } {
  const table = people()
  const lowered: StoredTable = { ...people(), name: 'people' }
  return {
    name: 'XY12345',
    users: [
      { name: 'READER', password: 'right', roles: ['ANALYST', 'OWNER'] },
      { name: 'SERVICE', publicKey: ownKeys.publicKey, oauthToken: 'fresh', roles: ['ANALYST'] },
    ],
    databases: { SHOP: { PUBLIC: [table, { ...lowered, rows: [] }] } },
    warehouses: { SMALL: 'running', SPENT: 'cannot be resumed' },
    mayAskForPolicies: ['OWNER', 'ANALYST'],
    ...change,
    people: table,
  }
}
