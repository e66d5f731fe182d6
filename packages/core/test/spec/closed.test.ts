import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { beforeEach, expect, test } from 'vitest'

const unavailable = { code: 'unavailable', message: 'The service was closed.' }

let privacy: PrivacyService
beforeEach(async () => {
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    connectors: [],
    execution: { requireManualRequestApproval: true },
  })
})

const submit = () => privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email: 'a@b.c' }] })

/** Names of all functions of the service, groups included. */
function actionsOf(group: object, at: readonly string[] = []): (readonly string[])[] {
  return Object.entries(group).flatMap(([name, member]) => {
    if (typeof member === 'function') return [[...at, name]]
    return typeof member === 'object' && !Array.isArray(member) ? actionsOf(member, [...at, name]) : []
  })
}

/** What answers from what it knows, and needs nothing that was closed. */
const atOnce = ['close', 'on', 'manifests.read', 'connections.kinds']

test('a service that was closed refuses every action alike', async () => {
  await privacy.close()
  const names = actionsOf(privacy).filter((path) => !atOnce.includes(path.join('.')))
  expect(names.length).toBeGreaterThan(100)
  for (const path of names) {
    const action = path.reduce<unknown>((group, name) => (group as Record<string, unknown>)[name], privacy)
    const answer = (action as () => Promise<unknown> | AsyncIterable<unknown>)()
    const ended = Symbol.asyncIterator in answer ? answer[Symbol.asyncIterator]().next() : answer
    await expect(ended, path.join('.')).rejects.toMatchObject(unavailable)
  }
  expect(privacy.connections.kinds().length).toBeGreaterThan(0)
  expect(privacy.scopes.length).toBeGreaterThan(0)
  await privacy.close()
})

test('a request is not taken once the service begins to close', async () => {
  const closing = privacy.close()
  await expect(submit()).rejects.toMatchObject(unavailable)
  await closing
})

test('a caller that waits for a request when the service closes gets an error', async () => {
  const { id } = await submit()
  const settled = privacy.requests.settled(id)
  settled.catch(() => {})
  await privacy.close()
  await expect(settled).rejects.toMatchObject(unavailable)
})
