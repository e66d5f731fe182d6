import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { encrypted } from '../../../core/src/results/cipher.js'
import { jsonPackage } from '../../../core/src/results/json-package.js'
import { decryptDocumented } from '../../../core/test/results/documented.js'
import { content, section } from '../../../core/test/results/sections.js'
import { bytesOf } from '../../../core/test/results/unzip.js'
import { type Case, type Json, readValue } from './bank.js'

interface Input {
  readonly key?: string
  readonly value?: string
  readonly results?: Readonly<Record<string, readonly Json[]>>
}

interface Expected {
  /** The text without associated data, where the ancestor's is another. */
  readonly value?: string
  readonly plaintext?: Json
  readonly plaintext_text?: string
  readonly file?: string
}

/** Whether the writers decide a case; logs and due dates are kinds of `package` too. */
export function isWritten({ input, expected }: Case<Input, Expected>): boolean {
  return input.key !== undefined || (input.results !== undefined && expected.file?.endsWith('.json') === true)
}

export async function checkPackage({ input, expected }: Case<Input, Expected>): Promise<void> {
  if (input.key !== undefined) await checkEncryption(Buffer.from(input.key), input, expected)
  if (input.results) {
    const rows = Object.entries(input.results).map(([address, each]) => [address, each.map(readValue)] as const)
    const sections = rows.map(([address, each]) => section(address, each))
    const written = await bytesOf(jsonPackage(content(sections)))
    expect(JSON.parse(String(written))).toEqual(Object.fromEntries(rows))
  }
}

/** Ours opens, and so does the case's text without associated data; the ancestor's, which has some, must not (§6). */
async function checkEncryption(key: Buffer, { value = '' }: Input, expected: Expected): Promise<void> {
  const plain = expected.plaintext_text ?? JSON.stringify(expected.plaintext)
  const sealed = String(await bytesOf(encrypted({ key, randomBytes }, [Buffer.from(plain)])))
  expect(await decryptDocumented(sealed, key)).toBe(plain)
  if (expected.value !== undefined) expect(await decryptDocumented(expected.value, key)).toBe(plain)
  await expect(decryptDocumented(value, key)).rejects.toThrow()
}
