import { isPrivacyError } from '@habeas/core'
import { expect, it } from 'vitest'
import { type TransitSecretsOptions, transitSecrets } from '../src/index.js'
import { readOptions } from '../src/transit-options.js'

const given = { address: 'https://vault.internal:8200', token: 't', key: 'habeas' }

it.each<[object, string, string]>([
  [{ ...given, address: 'planted' }, 'address', 'https://'],
  [{ ...given, address: 'ftp://planted.internal' }, 'address', 'https://'],
  [{ ...given, address: 'https://joe:planted@vault.internal' }, 'address', 'without credentials'],
  [{ ...given, address: 'https://vault.internal?planted=1' }, 'address', ''],
  [{ ...given, token: '' }, 'token', 'a function'],
  [{ ...given, token: 'planted token' }, 'token', 'a function'],
  [{ address: given.address, key: 'habeas' }, 'token', ''],
  [{ ...given, key: 'plan/ted' }, 'key', 'name of a key'],
  [{ ...given, key: '' }, 'key', ''],
  [{ ...given, mount: '../planted' }, 'mount', 'separated by "/"'],
  [{ ...given, namespace: '' }, 'namespace', ''],
  [{ ...given, timeoutSeconds: 0 }, 'timeoutSeconds', ''],
  [{ ...given, planted: 1 }, 'planted', ''],
])('refuses %o, naming %s and no value', (options, option, words) => {
  const thrown = (() => {
    try {
      return transitSecrets(options as TransitSecretsOptions)
    } catch (error) {
      return error
    }
  })()
  if (!isPrivacyError(thrown, 'misconfigured')) throw new Error('expected misconfigured', { cause: thrown })
  expect(thrown.details.option).toBe(option)
  expect(thrown.message).toContain(`Option '${option}' of transitSecrets`)
  expect(thrown.message).toContain(words)
  if (option !== 'planted') expect(JSON.stringify(thrown)).not.toContain('planted')
})

it('has defaults, and takes slashes and line breaks at the end', () => {
  expect(readOptions(given)).toEqual({ ...given, mount: 'transit', timeoutSeconds: 10 })
  expect(
    readOptions({ ...given, address: 'https://vault.internal/proxy/', token: 't\n', mount: 'kms/transit/' }),
  ).toMatchObject({ address: 'https://vault.internal/proxy', token: 't', mount: 'kms/transit' })
})
