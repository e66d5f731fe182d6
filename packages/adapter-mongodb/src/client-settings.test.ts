import { PrivacyError, parseSecrets } from '@habeas/core'
import { MongoClient } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { clientSettings } from './client-settings.js'

const settingsOf = (secrets: object) => clientSettings(parseSecrets('mongodb', secrets))

/** What the driver makes of secrets before it connects. */
function driverOptions(secrets: object) {
  const { address, options, database } = settingsOf(secrets)
  const { hosts, srvHost, credentials, tls, replicaSet } = new MongoClient(address, options).options
  return {
    database,
    hosts: hosts.map(String),
    srvHost,
    replicaSet,
    tls,
    login: credentials && [credentials.username, credentials.password, credentials.source],
  }
}

describe('where the server is', () => {
  it.each<[string, object, readonly string[]]>([
    ['host alone', { host: 'db', database: 'shop' }, ['db:27017']],
    ['host and port', { host: 'db', port: 27_018, database: 'shop' }, ['db:27018']],
    ['an IPv6 address', { host: '::1', database: 'shop' }, ['[::1]:27017']],
    ['a URL', { url: 'mongodb://db:27018/shop' }, ['db:27018']],
    ['a URL with several hosts', { url: 'mongodb://a:1,b:2,c/shop?replicaSet=rs' }, ['a:1', 'b:2', 'c:27017']],
    ['a host beside a URL', { url: 'mongodb://u:p@db:27018/shop', host: 'other' }, ['other:27018']],
    ['a port beside a URL', { url: 'mongodb://u:p@db/shop', port: 5 }, ['db:5']],
  ])('%s', (_, secrets, hosts) => {
    expect(driverOptions(secrets)).toMatchObject({ hosts, database: 'shop' })
  })

  it('leaves the parameters of a URL to the driver', () => {
    expect(driverOptions({ url: 'mongodb://a,b/shop?replicaSet=rs&tls=true' })).toMatchObject({
      replicaSet: 'rs',
      tls: true,
    })
  })

  it('takes no parameter of a URL that says where to read, when a write counts or how to read BSON', () => {
    const reading =
      'readPreference=secondary&readPreferenceTags=dc:ny&maxStalenessSeconds=120&readConcernLevel=available'
    const writing = 'w=0&wTimeoutMS=5&journal=false&minPoolSize=50'
    const url = `mongodb://a,b/shop?${reading}&replicaSet=rs&${writing}&raw=true&promoteLongs=false`
    expect(settingsOf({ url })).toMatchObject({ address: 'mongodb://a,b/shop?replicaSet=rs', database: 'shop' })
    expect(settingsOf({ url: 'mongodb://a/shop?w=0' }).address).toBe('mongodb://a/shop')
  })

  it('leaves the names behind mongodb+srv to the driver, encrypted', () => {
    expect(driverOptions({ url: 'mongodb+srv://ann:pw@cluster.example.com/shop' })).toMatchObject({
      srvHost: 'cluster.example.com',
      database: 'shop',
      tls: true,
      login: ['ann', 'pw', 'shop'],
    })
  })

  it.each([
    ['host', {}],
    ['database', { host: 'db' }],
    ['database', { url: 'mongodb://ann:hunter2@db' }],
    ['username', { host: 'db', database: 'shop', password: 'hunter2' }],
    ['username', { url: 'mongodb://db/shop', password: 'hunter2', defaultauthdb: 'admin' }],
    ['username', { url: 'mongodb://:hunter2@db/shop' }],
  ])('says that %s is missing, and repeats no secret', (what, secrets) => {
    let caught: unknown
    try {
      settingsOf(secrets)
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(PrivacyError)
    const { message, details } = caught as PrivacyError<'connection_failed'>
    expect(details).toMatchObject({ reason: 'missing_secret' })
    expect(message).toContain(what)
    expect(message).not.toContain('hunter2')
  })
})

it('refuses a URL of another kind of server, and repeats no secret', () => {
  let caught: unknown
  try {
    settingsOf({ url: 'postgresql://ann:hunter2@db/shop' })
  } catch (error) {
    caught = error
  }
  expect(caught).toMatchObject({ details: { issues: [{ loc: ['url'] }] } })
  expect(JSON.stringify([caught, (caught as Error).message])).toMatch(/^(?!.*hunter2).*mongodb:\/\//)
})

describe('a host with more than a name', () => {
  it.each(['db/?tls=false', 'db?authSource=x', 'ann@db', 'db/shop', 'db#', 'a b', 'db&x=1', 'hunter2\\db'])(
    '%o is refused, and not repeated',
    (host) => {
      for (const secrets of [
        { host, database: 'shop' },
        { url: 'mongodb://db/shop', host },
      ]) {
        expect(() => settingsOf(secrets)).toThrow(/no host name has/)
        expect(() => settingsOf(secrets)).not.toThrow(host)
      }
    },
  )
})

it.each<[object, RegExp]>([
  [{ host: 'db:27017', database: 'shop' }, /holds a port: give it as port/],
  [{ url: 'mongodb://ann@db/shop' }, /hold a user and no password: set password/],
  [{ url: 'mongodb://db/shop', user: 'ann', password: '' }, /hold a user and no password: set password/],
  [{ url: 'mongodb+srv://db:27017/shop' }, /takes no port/],
  [{ url: 'mongodb+srv://db/shop', port: 27017 }, /takes no port/],
  [{ url: 'mongodb://a,b/shop', port: 27017 }, /several hosts/],
  [{ url: 'mongodb://a,b/shop', host: 'c' }, /several hosts/],
  [{ url: 'mongodb://ann:p@ss/w:rd@db/shop' }, /percent-encoded/],
])('%o is refused, with the way out', (secrets, says) => {
  expect(() => settingsOf(secrets)).toThrow(says)
})

it.each(['::1', '[::1]'])('the address %s has colons and no port', (host) => {
  expect(settingsOf({ host, database: 'shop' }).address).toBe('mongodb://[::1]:27017/')
})

describe('who logs in', () => {
  it.each<[string, object, readonly unknown[] | undefined]>([
    ['nobody', { url: 'mongodb://db/shop' }, undefined],
    ['user and password', { host: 'db', database: 'shop', user: 'ann', password: 'p@:/w' }, ['ann', 'p@:/w', 'admin']],
    ['both in a URL', { url: 'mongodb://ann:p%40w@db/shop' }, ['ann', 'p@w', 'shop']],
    [
      'the user of a URL with a password beside it',
      { url: 'mongodb://ann@db/shop', password: 'pw' },
      ['ann', 'pw', 'shop'],
    ],
    ['another user', { url: 'mongodb://ann:old@a,b/shop', user: 'bob', password: 'pw' }, ['bob', 'pw', 'shop']],
    ['known to another database', { url: 'mongodb://ann:pw@db/shop', defaultauthdb: 'admin' }, ['ann', 'pw', 'admin']],
  ])('%s', (_, secrets, login) => {
    const options = driverOptions(secrets)
    expect(options.login).toEqual(login)
    expect(options.database).toBe('shop')
  })

  it('searches the database that knows the user where nothing else names one', () => {
    expect(settingsOf({ host: 'db', defaultauthdb: 'shop' }).database).toBe('shop')
  })
})

describe('encryption', () => {
  it.each<[unknown, object]>([
    [true, { tls: true }],
    [false, { tls: false }],
    [
      { ca: 'CA', cert: 'C', key: 'K', reject_unauthorized: false, server_name: 'db' },
      { tls: true, ca: 'CA', cert: 'C', key: 'K', rejectUnauthorized: false, servername: 'db' },
    ],
    [{ ca: 'CA' }, { tls: true, ca: 'CA' }],
  ])('%o', (ssl, expected) => {
    const { options, address } = settingsOf({ url: 'mongodb://db/shop', ssl })
    expect(options).toEqual(expected)
    expect(new MongoClient(address, options).options).toMatchObject(expected)
  })

  it('is off unless something asks for it', () => {
    expect(driverOptions({ url: 'mongodb://db/shop' }).tls).not.toBe(true)
  })
})
