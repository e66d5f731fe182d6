import { describe, expect, test } from 'vitest'
import { ordinaryScopes, readScope, scopeNames, scopes } from './scopes.js'

const names = scopes.map(({ name }) => name)

/** The scopes of older servers. `webhook`, `rule` and others have no endpoint here. */
const ancestors = [
  ...['client:create', 'client:update', 'client:read', 'client:delete', 'config:read', 'scope:read'],
  ...[
    'connection:create_or_update',
    'connection:read',
    'connection:delete',
    'connection:authorize',
    'connection:instantiate',
  ],
  ...[
    'connection_type:read',
    'consent:read',
    'dataset:create_or_update',
    'dataset:read',
    'dataset:delete',
    'encryption:exec',
  ],
  ...['policy:create_or_update', 'policy:read', 'policy:delete', 'privacy-request:read', 'privacy-request:delete'],
  ...['privacy-request:review', 'privacy-request:resume', 'privacy-request:upload_data', 'privacy-request:view_data'],
  ...[
    'rule:create_or_update',
    'rule:read',
    'rule:delete',
    'webhook:create_or_update',
    'webhook:read',
    'webhook:delete',
  ],
  ...[
    'storage:create_or_update',
    'storage:read',
    'storage:delete',
    'user:create',
    'user:update',
    'user:read',
    'user:delete',
  ],
]

const crud = ['create', 'read', 'update', 'delete']
const ours = [
  ...['system', 'data_category', 'data_use', 'data_subject', 'data_qualifier', 'organization', 'registry'].flatMap(
    (type) => crud.map((action) => `${type}:${action}`),
  ),
  ...['privacy-request:create', 'privacy-request:download', 'evaluation:create', 'datamap:read'],
  ...['evaluation:read', 'evaluation:delete'],
  ...['legal-hold:create', 'legal-hold:read', 'legal-hold:release'],
]

describe('all scopes', () => {
  test('include those of older servers, each once and sorted', () => {
    for (const name of [...ancestors, ...ours]) expect(names).toContain(name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual([...names].sort())
    expect(names.every((name) => /^[a-z_-]+:[a-z_-]+$/.test(name))).toBe(true)
  })

  test('every listed name is accepted, including the alias of client:create', () => {
    expect([...scopeNames].sort()).toEqual([...names, 'CLIENT_CREATE'].sort())
    for (const name of names) expect(readScope(name)).toBe(name)
    expect(readScope('CLIENT_CREATE')).toBe('client:create')
    for (const text of scopeNames) expect(readScope(text)).toBeDefined()
  })

  test('no other text is accepted, however similar', () => {
    const near = [
      ...[
        '',
        ' ',
        'client:create ',
        ' client:create',
        'Client:create',
        'client_create',
        'client:*',
        '*',
        'client',
        'client:',
      ],
      ...['CLIENT_READ', 'client:create,policy:read', 'client:create policy:read', 'policy:read\u0000', 'ſcope:read'],
      ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'],
    ]
    for (const text of near) expect(readScope(text)).toBeUndefined()
  })

  test('scopes over clients are not granted by default', () => {
    expect(ordinaryScopes.filter((name) => name.startsWith('client:'))).toEqual([])
    expect([...ordinaryScopes, 'client:create', 'client:read', 'client:update', 'client:delete'].sort()).toEqual(names)
  })
})
