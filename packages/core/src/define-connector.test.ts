import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { connectionKinds } from './actions/connections/connection-filters.js'
import { defineConnector } from './define-connector.js'
import { isPrivacyError } from './errors.js'
import type { Connection, Connector } from './ports/connector.js'

const schema = z.strictObject({ host: z.string(), token: z.string().exactOptional() })
const opened: unknown[] = []
const define = (more: Partial<Connector> = {}) =>
  defineConnector({
    type: 'ledger',
    category: 'saas',
    capabilities: { maxKeys: 10, nestedFields: false },
    secrets: schema,
    async connect(secrets) {
      opened.push(secrets)
      return {} as Connection
    },
    ...more,
  })

describe('a connector that is defined', () => {
  it('describes secrets that a zod schema reads, and no others unless told', () => {
    const { secretsSchema } = define()
    expect(secretsSchema).toMatchObject({ type: 'object', required: ['host'], additionalProperties: false })
    const secrets = { parse: (input: unknown) => input }
    const told = { type: 'object' } as const
    const plain = { type: 'ledger', category: 'saas', capabilities: define().capabilities } as const
    const connect = async () => ({}) as Connection
    expect(defineConnector({ ...plain, secrets, connect }).secretsSchema).toBeUndefined()
    expect(defineConnector({ ...plain, secrets, connect, secretsSchema: told }).secretsSchema).toBe(told)
  })

  it('refuses what a zod schema refuses as invalid input, naming members and no value', () => {
    const refused = (input: unknown) => {
      try {
        define().parseSecrets(input)
      } catch (error) {
        if (isPrivacyError(error, 'invalid_input')) return error
      }
      return undefined
    }
    const error = refused({ host: 1, token: 'planted', surprise: 'planted', version: 'planted' })
    expect(error?.details.issues.map(({ loc }) => loc.join()).sort()).toEqual(['host', 'surprise', 'version'])
    expect(JSON.stringify(error)).not.toContain('planted')
    for (const input of ['planted', null, ['planted']]) expect(refused(input)?.code).toBe('invalid_input')
  })

  it('reads members under their other names, and refuses those that stand under both', async () => {
    const connector = define({ secretAliases: { api_key: 'token' } })
    expect(connector.parseSecrets({ host: 'a', api_key: 'b' })).toEqual({ host: 'a', token: 'b' })
    expect(() => connector.parseSecrets({ host: 'a', api_key: 'b', token: 'c' })).toThrow('api_key')
    await connector.connect({ host: 'a', api_key: 'b' })
    expect(opened.at(-1)).toEqual({ host: 'a', token: 'b' })
  })

  it('is a kind of its own, and says more than the list where it is listed', () => {
    const kinds = connectionKinds(
      new Map<string, Connector>([
        ['ledger', define({ name: 'The Ledger' })],
        ['mysql', { ...define({ name: 'Our MySQL' }), type: 'mysql', category: 'database' }],
      ]),
    )
    const of = (wanted: string) => kinds.find(({ type }) => type === wanted)
    expect(of('ledger')).toMatchObject({ name: 'The Ledger', category: 'saas', secretsSchema: { required: ['host'] } })
    expect(of('mysql')).toMatchObject({ name: 'Our MySQL', secretsSchema: { required: ['host'] } })
    expect(of('postgres')).toEqual({ type: 'postgres', name: 'PostgreSQL', category: 'database' })
    expect(kinds.filter(({ type }) => type === 'mysql')).toHaveLength(1)
  })
})

describe('a definition of which no connector can be made', () => {
  const fine = {
    ...{ type: 'ledger', category: 'saas', capabilities: { maxKeys: 10, nestedFields: false }, secrets: schema },
    connect: async () => ({}) as Connection,
  }
  it.each<[string, object, RegExp]>([
    ['type', { type: undefined }, /must be text/],
    ['category', { category: 'SaaS' }, /database or saas/],
    ['capabilities', { capabilities: undefined }, /maxKeys/],
    ['capabilities.maxkeys', { capabilities: { maxkeys: 100, nestedFields: false } }, /capabilities\.maxKeys'/],
    ...[0, -1, 0.5, Number.NaN, '100'].map((maxKeys): [string, object, RegExp] => [
      'capabilities.maxKeys',
      { capabilities: { maxKeys, nestedFields: false } },
      /whole number of at least 1/,
    ]),
    ['capabilities.nestedFields', { capabilities: { maxKeys: 1 } }, /true or false/],
    ['secrets', { secrets: {} }, /zod schema/],
    ['connect', { connect: undefined }, /function/],
    ['secretAlias', { secretAlias: {} }, /secretAliases/],
  ])('is refused by the name %s (%j)', (option, change, says) => {
    const error = thrownBy({ ...fine, ...change })
    expect(error?.details).toEqual({ option })
    expect(error?.message).toMatch(says)
  })

  it('is refused as well where it is nothing, or empty', () => {
    for (const definition of [undefined, null, {}]) expect(thrownBy(definition)?.code).toBe('misconfigured')
    expect(thrownBy(fine)).toBeUndefined()
  })

  function thrownBy(definition: unknown) {
    try {
      defineConnector(definition as never)
    } catch (error) {
      if (isPrivacyError(error, 'misconfigured')) return error
      throw error
    }
    return undefined
  }
})
