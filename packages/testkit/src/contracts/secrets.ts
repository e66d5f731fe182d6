import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Secrets } from '@habeas/core'
import type { Test } from '../test.js'
import { patternOf } from './chunks.js'
import { type Open, openedCases } from './opened-case.js'
import { rejection } from './rejection.js'

/** Three rings of keys. */
export interface SecretsUnderTest {
  readonly secrets: Secrets
  /** Seals under a newer key and still holds the key of `secrets`. */
  readonly rotated: Secrets
  /** Does not hold the key of `secrets`. */
  readonly stranger: Secrets
}

const context = 'connection:app_postgres'
const plaintext = Buffer.from('the-password-of-somebody')

/** Declares a test for each promise of the `Secrets` port. */
export const secretsContract = (test: Test, open: Open<SecretsUnderTest>): void => {
  const given = openedCases(test, open)

  given('open gives what was sealed, of any length', async ({ secrets }) => {
    for (const length of [0, 1, 15, 16, 17, 32, 1_000_000]) {
      const bytes = patternOf(length)
      const opened = await secrets.open(await secrets.seal(bytes, context), context)
      assert.ok(Buffer.from(bytes).equals(opened), `${length} bytes`)
    }
  })

  given('seal gives different bytes each time', async ({ secrets }) => {
    const sealed = await Promise.all(Array.from({ length: 50 }, () => secrets.seal(plaintext, context)))
    assert.equal(new Set(sealed.map((bytes) => Buffer.from(bytes).toString('hex'))).size, 50)
  })

  given('a sealed value does not show its content', async ({ secrets }) => {
    const sealed = Buffer.from(await secrets.seal(plaintext, context))
    assert.ok(!sealed.includes(plaintext))
    assert.ok(!sealed.includes(plaintext.subarray(0, 8)))
  })

  given('seal and open leave the bytes they are given as they are', async ({ secrets }) => {
    const bytes = Uint8Array.from(plaintext)
    const sealed = await secrets.seal(bytes, context)
    const copy = Uint8Array.from(sealed)
    await secrets.open(sealed, context)
    await secrets.open(sealed, context)
    assert.deepEqual(sealed, copy)
    assert.deepEqual(bytes, Uint8Array.from(plaintext))
  })

  given('open takes a view into a larger piece of memory', async ({ secrets }) => {
    const sealed = await secrets.seal(plaintext, context)
    const larger = new Uint8Array(sealed.length + 20)
    larger.set(sealed, 10)
    const opened = await secrets.open(larger.subarray(10, 10 + sealed.length), context)
    assert.ok(plaintext.equals(opened))
  })

  given('open rejects with internal when any byte was changed', async ({ secrets }) => {
    const sealed = await secrets.seal(plaintext, context)
    for (let index = 0; index < sealed.length; index += 1) {
      for (const bits of [0x01, 0x80]) {
        const changed = Uint8Array.from(sealed)
        changed[index]! ^= bits
        await rejection(secrets.open(changed, context), 'internal')
      }
    }
  })

  given('open rejects with internal when bytes are missing or too many', async ({ secrets }) => {
    const sealed = await secrets.seal(plaintext, context)
    for (let length = 0; length < sealed.length; length += 1) {
      await rejection(secrets.open(sealed.subarray(0, length), context), 'internal')
    }
    await rejection(secrets.open(sealed.subarray(1), context), 'internal')
    await rejection(secrets.open(Uint8Array.of(...sealed, 0), context), 'internal')
  })

  given('open rejects with internal under another context', async ({ secrets }) => {
    const sealed = await secrets.seal(plaintext, context)
    for (const other of ['', 'connection:other', context.slice(0, -1), `${context}x`, context.toUpperCase()]) {
      await rejection(secrets.open(sealed, other), 'internal')
    }
  })

  given('open rejects with internal when the key is gone', async ({ secrets, stranger }) => {
    await rejection(stranger.open(await secrets.seal(plaintext, context), context), 'internal')
  })

  given('open opens what any key of the ring has sealed', async ({ secrets, rotated }) => {
    const older = await secrets.seal(plaintext, context)
    const newer = await rotated.seal(plaintext, context)
    assert.ok(plaintext.equals(await rotated.open(older, context)))
    assert.ok(plaintext.equals(await rotated.open(newer, context)))
    await rejection(secrets.open(newer, context), 'internal')
  })

  given(
    'isCurrent, where there is one, is true of what was sealed last and false of what an older key sealed',
    async (rings) => {
      const { secrets, rotated } = rings
      const older = await secrets.seal(plaintext, context)
      if (secrets.isCurrent) assert.equal(await secrets.isCurrent(older), true)
      const newer = await rotated.seal(plaintext, context)
      if (!rotated.isCurrent) return
      assert.equal(await rotated.isCurrent(newer), true, 'what was sealed last')
      assert.equal(await rotated.isCurrent(older), false, 'what the older key sealed')
    },
  )

  given('isCurrent, where there is one, is false of bytes in another form', async ({ rotated }) => {
    const sealed = await rotated.seal(plaintext, context)
    for (const bytes of [new Uint8Array(), Uint8Array.of(0), sealed.subarray(0, 1), sealed.subarray(1)]) {
      assert.ok(!(await rotated.isCurrent?.(bytes)))
    }
  })

  given('a failure to open says nothing of the content', async ({ secrets, stranger }) => {
    const sealed = await secrets.seal(plaintext, context)
    const failures = [
      await rejection(secrets.open(sealed, 'other'), 'internal'),
      await rejection(
        secrets.open(
          sealed.map((byte, index) => (index === sealed.length - 1 ? byte ^ 1 : byte)),
          context,
        ),
        'internal',
      ),
      await rejection(stranger.open(sealed, context), 'internal'),
    ]
    for (const failure of failures) {
      const shown = inspect(failure, { depth: null })
      assert.ok(!shown.includes(plaintext.toString()) && !shown.includes(plaintext.toString('base64')))
    }
  })
}
