import { type ExecutionLog, type PrivacyEvent, type PrivacyService, receiptText } from '@habeas/core'
import { isAccepted } from './annotate.js'
import { accepted, annotations, struckOut } from './annotations.js'
import { tidyEnding } from './ending.js'
import { failureText, orFail } from './failure.js'
import { writePackageFile } from './package-file.js'
import { indented, printErasure, printLeft, printOthers, printSearched } from './report.js'
import { describeShop, identities, openService } from './service.js'
import { makeShop } from './shop/make-shop.js'
import { count, liveLine, print, step } from './terminal.js'

const began = Date.now()
const seconds = () => ((Date.now() - began) / 1000).toFixed(1)
const ending = tidyEnding()

// what fails while everything is being put away, or because something failed already, is no news
const fail = (error: unknown) => {
  if (!ending.asked && process.exitCode === undefined) console.error(failureText(error))
  process.exitCode ??= 1
}
// what breaks beside the run fails nothing that it waits for
process.on('uncaughtException', (error) => {
  fail(error)
  ending.end(1)
})

try {
  await run()
} catch (error) {
  fail(error)
}
if (!ending.asked) {
  await ending.stop()
  if (process.exitCode === undefined)
    print(`\nDone in ${seconds()} s. The database is gone; the package is yours to look at and to delete.`)
}

async function run(): Promise<void> {
  print('Habeas answers a person who asks: what do you hold about me?')

  step('A database')
  const server = await orFail('Mend that and run the demo once more: nothing of it is left.', () =>
    ending.startPostgres(),
  )
  print(`   A PostgreSQL of its own listens on port ${server.port}; it ends with this demo.`)
  const line = liveLine()
  const { tables, rows } = await orFail(
    'It needs 200 MB for temporary files, and a database that nobody else ends: see to that and run the demo once more.',
    () => makeShop(server.url, { filling: (table) => line.show(`filling ${table} …`, { passing: true }) }),
  )
  line.end(`A shop: ${tables} tables, ${count(rows)} rows, the same on every run. (${seconds()} s)`)

  step('A description of it')
  const privacy = await openService(server.url)
  try {
    await describe(privacy)
    await answer(privacy)
    await forget(privacy)
  } finally {
    await privacy.close()
  }
}

async function describe(privacy: PrivacyService): Promise<void> {
  const { draft, findings } = await describeShop(privacy)
  const fields = draft.dataset.collections.flatMap((collection) => collection.fields)
  const references = fields.flatMap((field) => field.service_meta?.references ?? [])
  print(
    `   From the live catalogue: ${draft.dataset.collections.length} collections, ${fields.length} fields, ${references.length} references.`,
  )
  const categories = draft.proposals.filter((proposal) => proposal.kind === 'category')
  const proposals = categories.filter(isAccepted)
  print(`   By their names, ${categories.length} fields seem to be about people, for example:`)
  for (const { collection, field, category, confidence } of proposals.slice(0, 4)) {
    print(`     ${collection}.${field} → ${category} (${Math.round(confidence * 100)} %)`)
  }
  print(`   A person accepts ${proposals.length} of them, and strikes out:`)
  for (const [id, why] of Object.entries(struckOut)) print(`     ${id.split(':')[0]}: ${why}`)
  print(`   says who is meant and whose the rows are, by accepting ${accepted.length} more proposals:`)
  for (const { id, reason } of draft.proposals.filter((each) => accepted.slice(0, 4).includes(each.id))) {
    print(`     ${id} – ${reason}`)
  }
  print(`   and adds ${Object.keys(annotations).length} notes (demo/annotations.ts): what names do not tell.`)
  for (const { message } of findings.filter((finding) => finding.severity !== 'info').slice(0, 5)) {
    print(`   Remark: ${message}`)
  }
}

async function answer(privacy: PrivacyService): Promise<void> {
  const request = { policyKey: 'default_access_policy', identities }

  step('A request')
  print('   Mara is known by two identities. Her data is whatever either leads to:')
  for (const identity of identities) {
    const parts = Object.entries(identity).map(([name, value]) => `${name} ${value}`)
    print(`     ${parts.join(' and ')}${parts.length > 1 ? ', both in one row' : ''}`)
  }
  const { mermaid } = await privacy.requests.preview(request)
  const settled = await followed(privacy, request)
  const { id } = settled
  const plan = await privacy.requests.plan(id)
  if (!plan) throw new Error('The plan of the request was not stored.')

  step('What was read')
  printSearched(plan, await wholeLog(privacy, id))

  step('What was not')
  printLeft(plan)

  step('Whose rows were left out')
  printOthers(settled)

  step('How the rows were found: Mermaid, to paste into https://mermaid.live or a Markdown file')
  print(mermaid)

  step('What Mara receives')
  const { path, size } = await orFail(
    'Make room and let this user write to out/demo, then run the demo once more.',
    () => writePackageFile(`${id}.json`, privacy.requests.readPackage(id)),
  )
  print(`   ${path} (${count(size)} bytes, readable by you alone)`)
  print(`   Look at it: less ${path}`)
}

async function forget(privacy: PrivacyService): Promise<void> {
  const request = {
    policyKey: 'default_erasure_policy',
    identities,
    acceptUnsearched: true,
    acceptUndecided: true,
  } as const

  step('She asks to be forgotten')
  const { plan } = await privacy.requests.preview(request)
  print(
    '   Before anything is written, the plan says what becomes of what, and in which order: what leads to something last.',
  )
  printErasure(plan)

  step('Erasing')
  const { id } = await followed(privacy, request)

  step('The receipt: counts and reasons, nothing about her')
  print(indented(receiptText(await privacy.requests.receipt(id))))

  step('She asks once more what is held about her')
  print('   No row says any more that her e-mail address and her telephone are one person’s; that is accepted.')
  const again = { policyKey: 'default_access_policy', identities, acceptUnconfirmed: ['email', 'phone_number'] }
  const { id: last } = await privacy.requests.submit(again)
  const { status, results = [] } = await privacy.requests.settled(last)
  const found = results.flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => outcome === 'delivered'))
  const rows = found.reduce((sum, { rowCount }) => sum + rowCount, 0)
  print(`   ${status}: ${count(rows)} rows.`)
  if (status !== 'complete' || rows > 0) throw new Error('Something was found of what had been erased.')
}

/** Submits a request, and shows how it goes until it is complete. */
async function followed(privacy: PrivacyService, request: Parameters<PrivacyService['requests']['submit']>[0]) {
  const line = liveLine()
  const silence = privacy.on((event) => progress(event, line))
  const { id } = await privacy.requests.submit(request)
  const settled = await privacy.requests.settled(id)
  silence()
  line.end(`${settled.status}${settled.failure ? `: ${settled.failure}` : ''} (${seconds()} s)`)
  if (settled.status !== 'complete') throw new Error(settled.failure ?? `The request is ${settled.status}.`)
  return settled
}

async function wholeLog(privacy: PrivacyService, id: string): Promise<ExecutionLog[]> {
  const entries: ExecutionLog[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const part = await privacy.requests.log(id, { page, size: 100 })
    entries.push(...part.items)
    pages = part.pages
  }
  return entries
}

function progress(event: PrivacyEvent, line: ReturnType<typeof liveLine>): void {
  if (event.type === 'rows') line.show(`${event.collection}: ${count(event.rowCount)} rows so far`, { passing: true })
  else if (event.type === 'collection') {
    const { collection, status, message } = event
    line.show(`${collection}: ${message}`, { passing: status === 'in_processing' })
  }
}
