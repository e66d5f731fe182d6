import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { createPrivacyService, memoryBlobs, memoryStorage, PrivacyError, type PrivacyService } from '@habeas/core'
import { secretsContract } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { keptCalls, sealEverything } from '../../core/test/fixtures/sealed-world.js'
import { smallShop } from '../../core/test/spec/small-shop.js'
import { type TransitSecretsOptions, transitSecrets } from '../src/index.js'
import { policyLines } from '../src/transit-failure.js'
import type { TransitUnderTest } from './transit-under-test.js'

const context = 'connection:shop'
const content = Buffer.from('planted-content')

/** What every server with a transit engine does. */
export function transitSuite(server: () => TransitUnderTest): void {
  const secretsWith = (options: Pick<TransitSecretsOptions, 'key'> & Partial<TransitSecretsOptions>) => {
    const { address, token } = server()
    return transitSecrets({ address, token, ...options })
  }
  const failureOf = async (asked: Promise<unknown>): Promise<PrivacyError> => {
    const error = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof PrivacyError)) throw new Error('expected a PrivacyError', { cause: error })
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(server().token)
    return error
  }

  describe('the contract of a Secrets port', () => {
    secretsContract(it, async () => {
      const { makeKey, copyKey, rotate } = server()
      const older = await makeKey()
      const newer = await copyKey(older)
      await rotate(newer)
      const stranger = await makeKey()
      return {
        secrets: secretsWith({ key: older }),
        rotated: secretsWith({ key: newer }),
        stranger: secretsWith({ key: stranger }),
      }
    })
  })

  it('stores what the engine writes, and opens it whatever version it is of', async () => {
    const key = await server().makeKey()
    const secrets = secretsWith({ key })
    const sealed = [await secrets.seal(content, context)]
    await server().rotate(key)
    sealed.push(await secrets.seal(content, context))
    expect(sealed.map((each) => Buffer.from(each).toString().slice(0, 9))).toEqual(['vault:v1:', 'vault:v2:'])
    for (const each of sealed) expect(Buffer.from(await secrets.open(each, context))).toEqual(content)
    expect(await Promise.all(sealed.map((each) => secrets.isCurrent?.(each)))).toEqual([false, true])
  })

  it('does not open what a version has sealed that was retired', async () => {
    const key = await server().makeKey()
    const secrets = secretsWith({ key })
    const sealed = await secrets.seal(content, context)
    await server().rotate(key)
    await server().retire(key, 2)
    expect((await failureOf(secrets.open(sealed, context))).code).toBe('internal')
  })

  it('does not open another spelling of the same ciphertext', async () => {
    const secrets = secretsWith({ key: await server().makeKey() })
    const sealed = Buffer.from(await secrets.seal(content, context)).toString()
    // Four bits of the last letter are no part of the bytes.
    const last = sealed.at(-3) as string
    expect(sealed).toMatch(/[AQgw]==$/)
    const other = `${sealed.slice(0, -3)}${String.fromCharCode(last.charCodeAt(0) + 1)}==`
    expect((await failureOf(secrets.open(Buffer.from(other), context))).code).toBe('internal')
  })

  it('needs a policy of three lines, which an error names', async () => {
    const key = await server().makeKey()
    const before = await secretsWith({ key }).seal(content, context)
    for (const token of ['a-wrong-token', await server().tokenWith(`path "sys/health" { capabilities = ["read"] }`)]) {
      const secrets = secretsWith({ key, token })
      const calls = [
        () => secrets.seal(content, context),
        () => secrets.open(before, context),
        () => secrets.isCurrent!(before),
      ]
      for (const call of calls) {
        const error = await failureOf(call())
        expect(error).toMatchObject({ code: 'misconfigured', details: { option: 'token' } })
        expect(error.message).toContain(policyLines({ mount: 'transit', key }))
        expect(inspect(error, { depth: null })).not.toContain(token)
      }
    }
    const secrets = secretsWith({ key, token: await server().tokenWith(policyLines({ mount: 'transit', key })) })
    const sealed = await secrets.seal(content, context)
    expect(Buffer.from(await secrets.open(sealed, context))).toEqual(content)
    expect(await secrets.isCurrent!(sealed)).toBe(true)
  })

  it('makes no key by itself, and says how to make one', async () => {
    const key = `none-${randomUUID()}`
    const secrets = secretsWith({ key })
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await failureOf(secrets.seal(content, context))).toMatchObject({
        code: 'misconfigured',
        details: { option: 'key' },
        message: expect.stringContaining(`bao write -f transit/keys/${key} type=aes256-gcm96`),
      })
    }
    const foreign = await secretsWith({ key: await server().makeKey() }).seal(content, context)
    expect(await failureOf(secrets.open(foreign, context))).toMatchObject({ details: { option: 'key' } })
  })

  it('refuses a key that binds no context', async () => {
    const error = await failureOf(secretsWith({ key: await server().makeKey('rsa-2048') }).seal(content, context))
    expect(error).toMatchObject({ code: 'misconfigured', details: { option: 'key' } })
    expect(error.message).toContain('is of type rsa-2048')
  })

  it('names the mount and the namespace that are not there', async () => {
    const key = await server().makeKey()
    expect(await failureOf(secretsWith({ key, mount: 'elsewhere' }).seal(content, context))).toMatchObject({
      code: 'misconfigured',
      details: { option: 'mount' },
      message: expect.stringContaining('bao secrets enable -path=elsewhere transit'),
    })
    expect(await failureOf(secretsWith({ key, namespace: 'nowhere' }).seal(content, context))).toMatchObject({
      code: 'misconfigured',
      details: { option: 'namespace' },
    })
  })

  it('seals everything of a service, and the old version can be retired after a rotation', async () => {
    const key = await server().makeKey()
    const storage = memoryStorage()
    const { sender: webhookSender } = keptCalls()
    const opened: PrivacyService[] = []
    const blobs = memoryBlobs()
    const start = () => {
      const secrets = secretsWith({ key })
      const connectors = [smallShop().connector]
      const options = { storage, blobs, connectors, webhookSender, secrets, execution: { immediate: false } }
      const service = createPrivacyService(options) as PrivacyService
      opened.push(service)
      return service
    }
    const service = start()
    const { openEverything } = await sealEverything(service)
    await server().rotate(key)
    const { resealed, alreadyCurrent } = await service.rotateSecrets()
    expect(resealed).toBeGreaterThan(5)
    expect(alreadyCurrent).toBe(0)
    expect(await service.rotateSecrets()).toMatchObject({ resealed: 0, alreadyCurrent: resealed })
    await server().retire(key, 2)
    const after = start()
    expect(await after.health()).toMatchObject({ secrets: 'healthy' })
    await openEverything(after)
    for (const each of opened) await each.close()
  })

  it('is unavailable while the server is sealed, and works again after that', async ({ skip }) => {
    const { seal, unseal } = server()
    if (!seal || !unseal) return skip('others use this server')
    const key = await server().makeKey()
    const secrets = secretsWith({ key })
    const sealed = await secrets.seal(content, context)
    await seal()
    for (const call of [() => secrets.seal(content, context), () => secrets.open(sealed, context)]) {
      expect(await failureOf(call())).toMatchObject({ code: 'unavailable', details: { reason: 'sealed' } })
    }
    await unseal()
    expect(Buffer.from(await secrets.open(sealed, context))).toEqual(content)
  })
}
