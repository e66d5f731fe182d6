import { afterEach, beforeEach, expect } from 'vitest'
import {
  createPrivacyService,
  type Mail,
  memoryMailer,
  memoryStorage,
  type PrivacyEvent,
  type PrivacyService,
  type PrivacyServiceOptions,
  type RowKind,
  type Storage,
  systemRuntime,
} from '../../src/index.js'

export const address = 'planted-marker@example.org'
const identities = [{ phone: '1' }, { email: address }, { email: 'second@example.org' }]
const policyKey = 'default_access_policy'
export let privacy: PrivacyService
export let storage: Storage
export let inbox: ReturnType<typeof memoryMailer>
export let seen: PrivacyEvent[]
/** Seconds that the clock is ahead. */
export const clock = { ahead: 0 }

/** Called when no mail is due any more. */
let listeners: (() => void)[] = []

/** Resolves when the worker has tried every mail that is due now. */
export const allTried = () => new Promise<void>((resolve) => listeners.push(resolve))

/** Says so when the worker looks for mails that are due and finds none. */
function telling(inner: Storage): Storage {
  const mails = inner.table('outboxMail')
  const find: typeof mails.find = async (query) => {
    const asked = [...listeners]
    const found = await mails.find(query)
    if (query?.where?.nextAttemptAt !== undefined && found.length === 0) {
      listeners = listeners.filter((listener) => !asked.includes(listener))
      for (const listener of asked) listener()
    }
    return found
  }
  const table = (kind: RowKind) => (kind === 'outboxMail' ? { ...mails, find } : inner.table(kind))
  return { ...inner, table: table as Storage['table'] }
}

export function open({ execution, ...options }: PrivacyServiceOptions = {}, without?: 'mailer' | 'publicUrl') {
  clock.ahead = 0
  storage = telling(memoryStorage())
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

/** Opens a service for each test of the file that calls this, and closes it. */
export function openForEachTest(): void {
  beforeEach(() => open())
  afterEach(() => privacy.close())
}
