import { receiptText } from '@habeas/core'
import { openSources } from './sources.js'

const { privacy, close } = await openSources()
const identities = [{ email: 'ann@example.com' }]

const access = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
const found = await privacy.requests.settled(access.id)
for (const { collection, outcomes } of found.results ?? [])
  for (const { outcome, rowCount } of outcomes) console.log(`${collection}: ${rowCount} ${outcome}`)
console.log(found.failure ?? found.status)

const erasure = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities })
const erased = await privacy.requests.settled(erasure.id)
console.log(erased.failure ?? erased.actionRequired?.message ?? erased.status)
// An erasure that waits for a decision has no receipt yet, and asking for it rejects with `not_found`.
if (!erased.actionRequired) console.log(receiptText(await privacy.requests.receipt(erasure.id)))
await close()
