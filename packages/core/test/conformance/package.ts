import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { jsonPackage } from '../../src/results/json-package.js'
import { encrypted } from '../../src/results/package-cipher.js'
import { deadline } from '../../src/rules/request/deadline.js'
import { decryptDocumented } from '../results/documented.js'
import { content, section } from '../results/sections.js'
import { bytesOf } from '../results/unzip.js'
import { type AccessInput, openWorld } from './access.js'
import { type Case, type Json, readValue } from './bank.js'

interface Input extends AccessInput {
  readonly key?: string
  readonly value?: string
  readonly results?: Readonly<Record<string, readonly Json[]>>
  readonly targets?: readonly string[]
  readonly requested_at?: string
  readonly execution_timeframe_days?: number
}

interface Expected {
  /** The text without associated data, where the ancestor's is another. */
  readonly value?: string
  readonly plaintext?: Json
  readonly key?: string
  readonly plaintext_text?: string
  readonly file?: string
  readonly fields_affected?: Readonly<Record<string, readonly Json[]>>
  readonly due_date?: string
}

/** What a person receives, what the log says of it, and by when it is due. */
export async function checkPackage({ input, expected }: Case<Input, Expected>): Promise<void> {
  if (expected.fields_affected) await checkFields(input, expected.fields_affected)
  if (expected.due_date !== undefined) checkDueDate(input, expected.due_date)
  if (input.key !== undefined) await checkEncryption(Buffer.from(expected.key ?? input.key), input, expected)
  if (input.results) {
    const rows = Object.entries(input.results).map(([address, each]) => [address, each.map(readValue)] as const)
    const sections = rows.map(([address, each]) => section(address, each))
    const written = await bytesOf(jsonPackage(content(sections)))
    expect(JSON.parse(String(written))).toEqual(Object.fromEntries(rows))
  }
}

/** Ours opens, and so does the case's text without associated data; the ancestor's, which has some, must not. */
async function checkEncryption(key: Buffer, { value = '' }: Input, expected: Expected): Promise<void> {
  const plain = expected.plaintext_text ?? JSON.stringify(expected.plaintext)
  const sealed = String(await bytesOf(encrypted({ key, randomBytes }, [Buffer.from(plain)])))
  expect(await decryptDocumented(sealed, key)).toBe(plain)
  if (expected.value !== undefined) expect(await decryptDocumented(expected.value, key)).toBe(plain)
  await expect(decryptDocumented(value, key)).rejects.toThrow()
}

const ancestor = (kind: string) => `samples/datasets/ancestor/${kind}_example_test_dataset.json`

/** The fields that the log names for each collection that was searched, whether they held anything or not. */
async function checkFields({ targets = [], seeds = {} }: Input, expected: Required<Expected>['fields_affected']) {
  const databases_ref = {
    postgres_example_test_dataset: 'samples/db/postgres_example.ancestor.json#public',
    mongo_test: 'samples/db/mongo_example.ancestor.json',
  }
  // Rows of no collection are expected: each keeps its own categories alone.
  const world = await openWorld({ datasets_ref: [ancestor('postgres'), ancestor('mongo')], databases_ref }, { raw: {} })
  const { request } = await world.run([seeds], targets)
  expect(request.failure ?? request.status).toBe('complete')
  const { items } = await world.service.requests.log(request.id, { size: 100 })
  const told = items.filter(({ dataset, status }) => dataset === 'mongo_test' && status === 'complete')
  for (const [collection, fields] of Object.entries(expected)) {
    const found = told.filter((entry) => entry.collection === collection).flatMap((entry) => entry.fieldsAffected)
    const named = found.map(({ path, fieldName, dataCategories }) => ({
      path,
      field_name: fieldName,
      data_categories: dataCategories,
    }))
    const byPath = (list: readonly Json[]) => [...list].sort((a, b) => (String(a['path']) < String(b['path']) ? -1 : 1))
    expect(byPath(named), collection).toEqual(byPath(fields))
  }
  await world.service.close()
}

/** The same day: ours ends with it, wherever on it the request came. */
function checkDueDate({ requested_at = '', execution_timeframe_days = 0 }: Input, expected: string): void {
  const due = deadline({ timeframe: execution_timeframe_days, receivedAt: requested_at })
  expect(due.dueDate).toBe(expected.slice(0, 10))
  expect(due.daysLeft(new Date(requested_at))).toBe(execution_timeframe_days)
  expect(due.daysLeft(new Date(`${expected.slice(0, 8)}09T00:00:00Z`))).toBe(-3)
}
