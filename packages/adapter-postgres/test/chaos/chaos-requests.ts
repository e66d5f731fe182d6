import { setTimeout as delay } from 'node:timers/promises'
import { type ConnectionType, isPrivacyError, type PrivacyService, verifyEvidence } from '@habeas/core'
import { accountOf, type ChaosShop, datasetOf, emailOf, nameOf, type ShopRows, shopRows } from './chaos-shop.js'
import { insist } from './insist.js'
import type { Halted, openOutside } from './outside.js'

const kinds = ['access', 'erasure', 'both'] as const
export const kindOf = (person: number) => kinds[person % kinds.length] as (typeof kinds)[number]
export const halts = (person: number) => person % 4 === 1
const mistypes = (person: number) => person % 5 === 2

/** Describes the shop, and the policies with their webhooks. */
export async function describeChaos(
  privacy: PrivacyService,
  { connector, secrets, key }: ChaosShop,
  outside: string,
): Promise<void> {
  const connectionType = connector.type as ConnectionType
  await privacy.connections.put({ key: 'shop', connectionType, access: 'write' })
  await privacy.connections.setSecrets('shop', secrets, { verify: false })
  await privacy.connections.attachDataset('shop', datasetOf(key))
  const all = { data_categories: { matches: 'ANY', values: ['user'] } } as const
  const rule = (action_type: 'access' | 'erasure') => ({ service_key: action_type, action_type, ...all })
  const rules = { access: [rule('access')], erasure: [rule('erasure')], both: [rule('access'), rule('erasure')] }
  const url = `${outside}/webhook`
  const secret = 'a secret of the receiver, long and random'
  for (const kind of kinds) {
    await privacy.policies.put({ service_key: kind, rules: rules[kind] })
    await privacy.policyWebhooks.put(kind, 'pre_execution', [{ key: 'account', direction: 'two_way', url, secret }])
    await privacy.policyWebhooks.put(kind, 'post_execution', [{ key: 'told', direction: 'one_way', url, secret }])
  }
}

type Outside = Pick<Awaited<ReturnType<typeof openOutside>>, 'codeFor' | 'told'>

/** What people and the receiver of the webhook do, whatever else happens. */
export function chaosRequests(privacy: PrivacyService, outside: Outside) {
  const statusOf = async (id: string) => (await insist(() => privacy.requests.get(id))).status

  /** Submits a request and proves the address with the code that is mailed. */
  async function ask(person: number): Promise<string> {
    const email = emailOf(person)
    const { id } = await insist(async () => {
      // A submission that was stored although its answer got lost is not repeated.
      const [stored] = (await privacy.requests.list({ identity: email })).items
      return stored ?? privacy.requests.submit({ policyKey: kindOf(person), identities: [{ email }] })
    })
    while (outside.codeFor(person) === undefined) await delay(100)
    const code = outside.codeFor(person) as string
    if (mistypes(person)) {
      const wrong = code === '000000' ? '111111' : '000000'
      const taken = await privacy.requests.verify(id, { code: wrong }).catch(() => undefined)
      if (taken) throw new Error(`A wrong code of person ${person} was taken.`)
    }
    await insist(async () => {
      if ((await privacy.requests.get(id)).status === 'identity_unverified') await privacy.requests.verify(id, { code })
    })
    return id
  }

  /** Lets a request go on that was halted, once it is paused. */
  async function resume({ person, id, token }: Halted): Promise<void> {
    while (!['complete', 'error'].includes(await statusOf(id))) {
      await delay(200)
      const derivedIdentity = { account: accountOf(person) }
      try {
        await insist(() => privacy.requests.resume(id, token, { derivedIdentity }))
        return
      } catch (error) {
        // It is not paused yet, or an answer got lost that it goes on.
        if (!isPrivacyError(error, 'invalid_state')) throw error
      }
    }
  }

  async function packageOf(id: string): Promise<string> {
    const parts: Uint8Array[] = []
    for await (const part of privacy.requests.readPackage(id)) parts.push(part)
    return Buffer.concat(parts).toString()
  }

  /** What is left of a request, in words that are the same for everybody who asks for the same. */
  async function endingOf(person: number, id: string) {
    const { failure, status, results = [], packages } = await insist(() => privacy.requests.settled(id))
    const delivered = packages?.length ? await insist(() => packageOf(id)) : '{}'
    const evidence = await insist(() => privacy.requests.exportEvidence(id))
    const { items } = await insist(() => privacy.requests.auditTrail(id, { size: 100 }))
    return {
      end: failure ?? status,
      results: results
        .map((result) => JSON.stringify({ ...result, startedAt: undefined, finishedAt: undefined }))
        .sort(),
      package: sorted(JSON.parse(delivered.replaceAll(nameOf(person), 'NAME'))),
      told: outside.told(person),
      doubts: verifyEvidence(evidence).problems,
      ends: items.filter(({ action }) => action === 'request_completed').length,
    }
  }

  return { ask, resume, endingOf }
}

/** Rows come in any order. */
function sorted(rows: Readonly<Record<string, unknown>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, of]) => [
      name,
      Array.isArray(of) ? of.map((row) => JSON.stringify(row)).sort() : [],
    ]),
  )
}

/** What has to be left of the shop once these people were erased. */
export function rowsWithout(people: number, erased: ReadonlySet<number>): ShopRows {
  const { customer, orders, card } = shopRows(people)
  return {
    customer: customer.map(([person, name]) => [person, erased.has(person) ? null : name]),
    orders: orders.map(([person, note]) => [person, erased.has(person) ? null : note]),
    card: card.filter((person) => !erased.has(person)),
  }
}
