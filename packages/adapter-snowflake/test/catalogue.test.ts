import type { Connection } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { closeAfterEach, connected, holding, rowsOf, service } from './double-connection.js'
import type { StoredTable } from './double-statements.js'

closeAfterEach()

describe('policies', () => {
  const policies = {
    rowAccess: { roles: ['OWNER'], column: 'REGION' },
    masking: { roles: ['OWNER'], column: 'NAME' },
  }
  const hides = async (connection: Connection) =>
    (await connection.describe()).collections.filter(({ hidesRows }) => hidesRows).map(({ name }) => name)

  it('are looked for, since they hide rows and values without a word', async () => {
    const { double, people } = await service()
    const connection = await connected(double, { role_name: 'ANALYST' })
    expect(await hides(connection)).toEqual([])
    Object.assign(people, policies)
    expect(await rowsOf(connection, ['ID', 'NAME'], holding('ID', 1, 2))).toEqual([[1, '***']])
    expect(await hides(connection)).toEqual(['PEOPLE'])
  })

  it('cannot be ruled out where the role sees only some of them', async () => {
    const { double } = await service({ mayAskForPolicies: ['OWNER'] })
    expect(await hides(await connected(double, { role_name: 'OWNER' }))).toEqual([])
    expect(await hides(await connected(double, { role_name: 'ANALYST' }))).toEqual(['PEOPLE', 'people'])
    const { collections } = await (await connected(double, { role_name: 'ANALYST' })).describe()
    expect(collections.map(({ policiesUnknown }) => policiesUnknown)).toEqual([true, true])
  })

  it('are looked for behind views, and cannot be ruled out where the role may not ask what a view shows', async () => {
    const base = (await service()).people
    const view = (name: string, shows?: string[]): StoredTable => ({
      ...base,
      name,
      type: 'VIEW',
      ...(shows && { shows }),
    })
    const views = [view('ADULTS', ['ALL_PEOPLE']), view('ALL_PEOPLE', ['PEOPLE']), view('SECRET')]
    const { double } = await service({ databases: { SHOP: { PUBLIC: [base, ...views] } } })
    const connection = await connected(double)
    const described = async () =>
      (await connection.describe()).collections.map(({ name, hidesRows, policiesUnknown, view }) => [
        ...[name, hidesRows, policiesUnknown, view],
      ])
    const secret = ['SECRET', true, true, { writable: false }]
    const shown = (name: string, hides?: true) => [name, hides, undefined, { writable: false, shows: ['PEOPLE'] }]
    expect(await described()).toEqual([
      ['PEOPLE', ...[undefined, undefined, undefined]],
      shown('ADULTS'),
      shown('ALL_PEOPLE'),
      secret,
    ])
    Object.assign(base, policies)
    expect(await described()).toEqual([
      ['PEOPLE', true, undefined, undefined],
      shown('ADULTS', true),
      shown('ALL_PEOPLE', true),
      secret,
    ])
  })
})

it('looks for policies of the views between a view and its tables', async () => {
  const base = (await service()).people
  const view = (name: string, shows: string[], change: Partial<StoredTable> = {}): StoredTable => ({
    ...{ ...base, name, type: 'VIEW', shows },
    ...change,
  })
  const rowAccess = { roles: ['OWNER'], column: 'REGION' }
  const tables = [
    ...[base, view('ADULTS', ['REGIONAL']), view('REGIONAL', ['ALL_PEOPLE'], { rowAccess })],
    view('ALL_PEOPLE', ['PEOPLE']),
  ]
  const { double } = await service({ databases: { SHOP: { PUBLIC: tables } } })
  const { collections } = await (await connected(double)).describe()
  expect(collections.filter(({ hidesRows }) => hidesRows).map(({ name }) => name)).toEqual(['ADULTS', 'REGIONAL'])
  const { sql = '', parameters = [] } = double.statements.find((each) => each.sql.includes('policy_references')) ?? {}
  const domains = [...sql.matchAll(/ref_entity_domain => '(\w+)'/g)].map(([, named]) => named)
  const domainOf = (name: string) => domains[parameters.indexOf(`"SHOP"."PUBLIC"."${name}"`)]
  expect(['PEOPLE', 'ADULTS', 'REGIONAL', 'ALL_PEOPLE'].map(domainOf)).toEqual(['table', 'view', 'view', 'view'])
})

it('describes external tables and materialized views as what cannot be written', async () => {
  const { double, people } = await service()
  const connection = await connected(double)
  const views = async () => (await connection.describe()).collections.map(({ view }) => view)
  expect(await views()).toEqual([undefined, undefined])
  for (const [type, domain] of [
    ['EXTERNAL TABLE', 'table'],
    ['MATERIALIZED VIEW', 'view'],
  ]) {
    Object.assign(people, { type })
    expect(await views()).toEqual([{ writable: false }, undefined])
    const { sql = '' } = double.statements.findLast((each) => each.sql.includes('policy_references')) ?? {}
    const domains = [...sql.matchAll(/ref_entity_domain => '(\w+)'/g)].map(([, named]) => named)
    expect(domains).toEqual([domain, 'table'])
  }
})

it('says how long time travel and fail-safe keep what was erased', async () => {
  const { double, people } = await service()
  const connection = await connected(double)
  const kept = async () => (await connection.describe()).collections.map(({ keepsHistoryDays }) => keepsHistoryDays)
  expect(await kept()).toEqual([8, 8])
  Object.assign(people, { retention: 90, transient: true })
  expect(await kept()).toEqual([90, 8])
  Object.assign(people, { retention: 0 })
  expect(await kept()).toEqual([undefined, 8])
})

describe('kinds of tables', () => {
  const described = async (is: StoredTable['is'], change: Partial<StoredTable> = {}) => {
    const { double, people } = await service()
    Object.assign(people, { is, ...change })
    const [{ view, keysEnforced, keepsHistoryDays } = { view: 0 }] = (await (await connected(double)).describe())
      .collections
    return { view, keysEnforced, keepsHistoryDays }
  }

  it('are told apart: what cannot be written, what keeps its keys unique, and what has no fail-safe', async () => {
    const [view, keysEnforced] = [undefined, false]
    expect(await described(undefined)).toEqual({ view, keysEnforced, keepsHistoryDays: 8 })
    expect(await described('dynamic')).toEqual({ view: { writable: false }, keysEnforced, keepsHistoryDays: 8 })
    expect(await described('iceberg')).toEqual({ view, keysEnforced, keepsHistoryDays: 1 })
    expect(await described('hybrid')).toEqual({ view, keysEnforced: true, keepsHistoryDays: 1 })
    expect(await described(undefined, { type: 'TEMPORARY TABLE' })).toMatchObject({ keepsHistoryDays: undefined })
  })
})

describe('clones and streams', () => {
  const account = async () => {
    const { people } = await service()
    const own = { ...people, cloneGroup: '1' }
    const clone = (name: string) => ({ ...own, name })
    return service({
      databases: {
        SHOP: { PUBLIC: [own, clone('PEOPLE_TEST')], OLD: [clone('PEOPLE')] },
        LAB: { PUBLIC: [clone('P')] },
      },
      mayAskForClones: ['OWNER'],
      streams: [
        { path: ['SHOP', 'ETL', 'CHANGES'], of: 'SHOP.PUBLIC.PEOPLE' },
        { path: ['SHOP', 'PUBLIC', 'OTHERS'], of: 'SHOP.PUBLIC.ELSE' },
      ],
    })
  }
  const kept = async (role_name: string) => {
    const { double } = await account()
    const { collections } = await (await connected(double, { role_name })).describe()
    return collections.map(({ keptIn }) => keptIn?.map(({ name, kind }) => `${kind} ${name}`))
  }
  const stream = 'stream ETL.CHANGES'

  it('are named, in every schema and database', async () => {
    expect(await kept('OWNER')).toEqual([
      ['clone PEOPLE_TEST', 'clone OLD.PEOPLE', 'clone LAB.PUBLIC.P', stream],
      ['clone PEOPLE', 'clone OLD.PEOPLE', 'clone LAB.PUBLIC.P'],
    ])
  })

  it('are told apart where names hold commas, dots and quotes', async () => {
    const { people } = await service()
    const names = ['A,B', 'say "c"', 'd.e', 'B', 'PEOPLE']
    const tables = names.map((name) => ({ ...people, name }))
    const stream = (name: string, of: string) => ({ path: ['SHOP', 'ETL', name] as const, of })
    const { double } = await service({
      databases: { SHOP: { PUBLIC: tables } },
      streams: [
        stream('ONE', 'SHOP.PUBLIC."A,B", SHOP.OLD.B,SHOP.PUBLIC.PEOPLE'),
        stream('TWO', 'SHOP.PUBLIC."say ""c"""'),
        stream('THREE', '"SHOP"."PUBLIC"."d.e"'),
      ],
    })
    const { collections } = await (await connected(double)).describe()
    const found = collections.map(({ name, keptIn = [] }) => [name, keptIn.map((each) => each.name)])
    expect(Object.fromEntries(found)).toEqual({
      'A,B': ['ETL.ONE'],
      'say "c"': ['ETL.TWO'],
      'd.e': ['ETL.THREE'],
      B: [],
      PEOPLE: ['ETL.ONE'],
    })
  })

  it('are named as far as the role may see them, and what it may not ask for is said', async () => {
    expect(await kept('ANALYST')).toEqual([[stream], undefined])
    const { double } = await account()
    const unasked = async (role_name: string) => (await (await connected(double, { role_name })).describe()).unasked
    expect([await unasked('ANALYST'), await unasked('OWNER')]).toEqual([['clone'], undefined])
  })
})
