import { endpoints } from '@habeas/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Attack, faultsOf } from './attack/attacks.js'
import { callSample, pathOf, refusalFault, targets } from './attack/calls.js'
import { type AttackedWorld, attackedWorld } from './attack/world.js'

let world: AttackedWorld
beforeAll(async () => {
  world = await attackedWorld()
})
afterAll(() => world.close())

const parametersOf = (template: string) => [...template.matchAll(/\{(.+?)\}/g)].map(([, name]) => name as string)

describe('a part of a path that names nothing', () => {
  const names = [
    ...[
      '..',
      '...',
      '%2e%2e',
      '%2e',
      '%2e%2e%2f',
      '..%2f..%2fetc%2fpasswd',
      'a%2fb',
      '%2f',
      '%5c',
      'a%5cb',
      '%00',
      'a%00',
      '%00a',
    ],
    ...[
      '%',
      '%2',
      '%zz',
      '%ff',
      '%c0%af',
      '%ed%a0%80',
      '%e2%82',
      '%25',
      '%2525',
      '%20',
      'a%20b',
      '+',
      '%0d%0aSet-Cookie:%20a=b',
    ],
    ...[
      '%0a',
      '%09',
      '%7f',
      '%c3%a4',
      '%f0%9f%98%80',
      '%e2%80%ae',
      '%3cscript%3e',
      '%22',
      '%27',
      "';--",
      '*',
      '$where',
      '%7b%7d',
    ],
    ...[
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'undefined',
      'null',
      'NaN',
      '0',
      '-1',
      'true',
      '{}',
    ],
    ...[
      'a'.repeat(255),
      'a'.repeat(256),
      'a'.repeat(5_000),
      '%61'.repeat(5_000),
      'pri_',
      'pri_00000000-0000-7000-8000-000000000000',
    ],
    ...['{service_key}', ':key', '~', '@', 'a;b=c', 'a,b', 'a=b', 'CON', 'root', '127.0.0.1', 'a.', '.a', '-'],
  ]
  it.each(targets.filter(({ template }) => template.includes('{')))('$key', async (target) => {
    const attacks = parametersOf(target.template).flatMap((parameter) =>
      names.map(
        (name): Attack => ({
          name: `${name.slice(0, 40)} as ${parameter}`,
          variation: (attacked) => ({ path: pathOf(target, attacked, { [parameter]: name }) }),
          // Who has no reply token for a request is not told whether there is one.
          status: target.sample.bearer ? [401, 404, 405] : [404, 405],
        }),
      ),
    )
    expect(await faultsOf(target, attacks)).toEqual([])
  })
})

describe('paths that are almost those of an endpoint', () => {
  it.each(targets)('$key', async (target) => {
    const path = pathOf(target, world)
    const [, first = '', ...rest] = path.split('/')
    const almost = [
      ...[
        `/${path}`,
        `${path}//`,
        `${path}/%20`,
        `${path}%20`,
        `${path}%00`,
        `${path}/%2e%2e%2f`,
        `${path}/nothing`,
        `${path}/`.concat('/'),
      ],
      ...[
        `/%2f${path.slice(1)}`,
        `/..%2f${path.slice(1)}`,
        path.toUpperCase(),
        `/${first}//${rest.join('/')}`,
        `/nowhere${path}`,
      ],
      ...[
        `${path};a=b`,
        `${path}:`,
        `${path}%3f`,
        `${path}%23`,
        `${path}\\`,
        `${path}/%`,
        `${path}/%ff`,
        `/${first}%2f${rest.join('/')}`,
      ],
    ].filter((other) => other !== path)
    const attacks = almost.map(
      (other): Attack => ({ name: other, variation: { path: other, method: target.verb }, status: [404, 405] }),
    )
    const faults = await faultsOf({ ...target, isOAuthForm: false }, attacks)
    expect(faults).toEqual([])
  })

  it('a slash at the end changes nothing', async () => {
    for (const target of targets.filter(({ verb }) => verb === 'GET')) {
      const response = await callSample(target, world, { path: `${pathOf(target, world)}/` })
      expect([target.key, response.status]).toEqual([target.key, 200])
    }
    await world.restore()
  })

  it('a path reveals nothing about what lies outside', async () => {
    const outside = [
      '/',
      '',
      '/api',
      '/api/v1',
      '/api/v2/policy',
      '/.env',
      '/.git/config',
      '/package.json',
      '/api/v1/docs/../../package.json',
    ]
    for (const path of [
      ...outside,
      '/api/v1/docs/%2e%2e%2fpackage.json',
      '/api/v1/docs/index.html',
      `/${'a'.repeat(20_000)}`,
    ]) {
      const response = await world.call(path, { headers: { authorization: `Bearer ${world.token}` } })
      expect([path.slice(0, 50), response.status, await refusalFault({ isOAuthForm: false }, response)]).toEqual([
        path.slice(0, 50),
        404,
        undefined,
      ])
    }
  })
})

describe('methods that an endpoint does not take', () => {
  const methods = [
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'PURGE',
    'PROPFIND',
    'M-SEARCH',
    'LINK',
    'patch',
    'Get2',
  ]
  const templates = [...new Set(targets.map(({ template }) => template))]
  it.each(templates)('%s', async (template) => {
    const known = Object.keys(endpoints).filter((key) => key.split(' ')[1] === template)
    const verbs = new Set(known.map((key) => key.split(' ')[0] as string))
    if (verbs.has('GET')) verbs.add('HEAD')
    const target = targets.find((each) => each.template === template) as (typeof targets)[number]
    for (const method of methods.filter((each) => !verbs.has(each))) {
      const response = await callSample(target, world, { method, body: undefined })
      const answer = [method, response.status, response.headers.get('allow')]
      expect(answer).toEqual([method, 405, [...verbs].sort().join(', ')])
      if (method !== 'HEAD') expect(await refusalFault({ isOAuthForm: false }, response)).toBeUndefined()
    }
    expect(await world.changed()).toEqual([])
  })
})

describe('content types that are not taken', () => {
  const types = [
    ...[
      'text/plain',
      'text/html',
      'application/xml',
      'application/octet-stream',
      'application/jsonp',
      'application/javascript',
      'json',
    ],
    ...[
      'text/json',
      'application/json, text/plain',
      'application/jsonx',
      'application/ json',
      '*/*',
      'application',
      ';',
      'a/b; charset=utf-8',
    ],
    ...[
      'application/x-yaml2',
      'image/png',
      'application/graphql',
      'application/json/x',
      'multipart/mixed; boundary=a',
      ' '.repeat(100).concat('x'),
    ],
  ]
  it.each(targets.filter(({ takesBody }) => takesBody))('$key', async (target) => {
    const attacks = types.map(
      (type): Attack => ({
        name: type,
        variation: { headers: { 'content-type': type } },
        status: target.isOAuthForm ? [400, 415] : [415],
      }),
    )
    expect(await faultsOf(target, attacks)).toEqual([])
  })

  it('forms are not taken for JSON', async () => {
    for (const target of targets.filter(({ takesBody, sample }) => takesBody && !sample.form)) {
      for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
        const response = await callSample(target, world, { headers: { 'content-type': type } })
        expect([target.key, response.status]).toEqual([target.key, 415])
      }
    }
    expect(await world.changed()).toEqual([])
  })
})

describe('queries that mean nothing', () => {
  const values = [
    ...[
      '',
      '%20',
      'NaN',
      'Infinity',
      '-1',
      '0',
      '1e3',
      '0x10',
      '1.5',
      '1,2',
      '+1',
      '%201',
      '01',
      '999999999999999',
      '9007199254740993',
    ],
    ...[
      '1e400',
      '9'.repeat(400),
      '%00',
      'a%00b',
      '%ff',
      '%ed%a0%80',
      '%',
      '%zz',
      'true',
      'TRUE',
      'yes',
      'null',
      'undefined',
      '[]',
      '{}',
    ],
    ...[
      '__proto__',
      'constructor',
      'toString',
      '*',
      '**',
      '%25',
      '_',
      "'%20OR%201=1--",
      '%3cscript%3e',
      'a'.repeat(1_001),
      '%c3%a4'.repeat(500),
    ],
    ...[
      '2024-13-01',
      '2024-02-30',
      '0000-01-01',
      '9999-12-31',
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:00:00+99:99',
      '0000-01-01T00:00:00+23:59',
    ],
    ...[
      '9999-12-31T23:59:59-23:59',
      '20240101',
      '1704067200',
      'now',
      '-000001-01-01T00:00:00Z',
      '%2b010000-01-01T00:00:00Z',
    ],
  ]
  it.each(targets.filter(({ key }) => Object.keys((endpoints[key] as { query?: object }).query ?? {}).length > 0))(
    '$key',
    async (target) => {
      const query = (endpoints[target.key] as { query: Record<string, { list: boolean }> }).query
      const attacks = Object.entries(query).flatMap(([name, { list }]): Attack[] => [
        ...values.map(
          (value): Attack => ({
            name: `${name}=${value.slice(0, 40)}`,
            variation: { query: `${name}=${value}` },
            outcome: 'answered',
          }),
        ),
        { name: `${name}[]=a`, variation: { query: `${name}[]=%00` }, outcome: 'answered' },
        {
          name: `${name}[a]=a`,
          variation: { query: `${name}[a]=a&${name}.b=c&__proto__[${name}]=d` },
          outcome: 'answered',
        },
        { name: `${name} without a value`, variation: { query: name }, outcome: 'answered' },
        ...(list
          ? [
              {
                name: `${name} 1,000 times`,
                variation: { query: `${name}=a&`.repeat(1_000) },
                status: [422],
                place: ['query', name],
              },
            ]
          : [
              {
                name: `${name} twice`,
                variation: { query: `${name}=1&${name}=1` },
                status: [422],
                place: ['query', name],
              },
            ]),
        {
          name: `${name} with a null character`,
          variation: { query: `${name}=%00` },
          status: [422],
          place: ['query', name],
        },
      ])
      expect(await faultsOf(target, attacks)).toEqual([])
    },
  )

  it.each(targets.filter(({ key }) => 'page' in ((endpoints[key] as { query?: object }).query ?? {})))(
    '$key: pages',
    async (target) => {
      const refused = [
        'page=0',
        'page=-1',
        'size=0',
        'size=101',
        'page=1.5',
        'page=NaN',
        'size=1e1',
        'page=',
        'page=9007199254740993',
        'page=x&size=y',
      ]
      const attacks = refused.map(
        (query): Attack => ({
          name: query,
          variation: { query },
          status: [422],
          place: ['query', query.split('=')[0] as string],
        }),
      )
      expect(await faultsOf(target, attacks)).toEqual([])
      const far = await callSample(target, world, { query: 'page=999999999999999&size=100' })
      expect([far.status, await far.json()]).toMatchObject([200, { items: [] }])
    },
  )
})
