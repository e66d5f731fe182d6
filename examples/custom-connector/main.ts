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
const receipt = await privacy.requests.receipt(erasure.id)
console.log(erased.failure ?? erased.actionRequired?.message ?? erased.status)
if (receipt) console.log(receiptText(receipt))
await close()
