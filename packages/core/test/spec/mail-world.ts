import { afterEach, beforeEach, expect } from 'vitest'
import {
  createPrivacyService,
  type Mail,
  memoryMailer,
  memoryStorage,
  type PrivacyEvent,
  type PrivacyService,
  type PrivacyServiceOptions,
  systemRuntime,
} from '../../src/index.js'

export const address = 'planted-marker@example.org'
const identities = [{ phone: '1' }, { email: address }, { email: 'second@example.org' }]
const policyKey = 'default_access_policy'
export let privacy: PrivacyService
export let storage: ReturnType<typeof memoryStorage>
export let inbox: ReturnType<typeof memoryMailer>
export let seen: PrivacyEvent[]
/** Seconds that the clock is ahead. */
export const clock = { ahead: 0 }

export function open({ execution, ...options }: PrivacyServiceOptions = {}, without?: 'mailer' | 'publicUrl') {
  clock.ahead = 0
  storage = memoryStorage()
  inbox = memoryMailer()
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + clock.ahead * 1_000) },
    storage,
    ...(without !== 'mailer' && { mailer: inbox }),
    ...(without !== 'publicUrl' && { publicUrl: 'https://privacy.example.org/dsr/' }),
    execution: { immediate: false, sweepSeconds: 0.02, ...execution },
    ...options,
  })
  seen = []
  privacy.on((event) => seen.push(event))
}
export const submit = (input: object = {}) => privacy.requests.submit({ policyKey, identities, ...input })
export const mailsOf = async (id: string) => (await privacy.requests.get(id)).mails ?? []
export const states = async (id: string) => (await mailsOf(id)).map(({ kind, status }) => `${kind} ${status}`)
export const settled = (id: string) =>
  expect.poll(async () => (await mailsOf(id)).every(({ status }) => status !== 'waiting')).toBe(true)
export const received = (kind: Mail['kind']) => inbox.outbox.filter((mail) => mail.kind === kind)

beforeEach(() => open())
afterEach(() => privacy.close())
