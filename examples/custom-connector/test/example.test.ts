import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { verifyEvidence } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crm, openSources, type Sources } from '../sources.js'

const identities = [{ email: 'ann@example.com' }]
let sources: Sources

beforeAll(async () => {
  sources = await openSources()
})
afterAll(() => sources.close())

describe('a person whose data lies in a service and in a lake', () => {
  it('receives all of it, and nothing of others', async () => {
    const { requests } = sources.privacy
    const { id } = await requests.submit({ policyKey: 'default_access_policy', identities })
    const { status, failure } = await requests.settled(id)
    expect([status, failure]).toEqual(['complete', undefined])
    const parts: Uint8Array[] = []
    for await (const part of requests.readPackage(id)) parts.push(part)
    const found = JSON.parse(Buffer.concat(parts).toString())
    expect(found['crm:customers']).toMatchObject([{ name: 'Ann' }])
    expect(found['crm:tickets']).toHaveLength(25)
    expect(found['lake:visits'].map(({ ip }: { ip: string }) => ip)).toEqual(['192.0.2.0', '192.0.2.0', '192.0.2.0'])
  })

  it('is told before anything is written where the service cannot do what a policy asks for', async () => {
    const { connections, requests } = sources.privacy
    const masked = crm.collections?.map(({ service_meta: _, ...collection }) => collection)
    await connections.attachDataset('crm', { ...crm, collections: masked })
    const { text } = await requests.preview({ policyKey: 'default_erasure_policy', identities })
    expect(text).toContain("'crm:customers.name' is computed by the database and cannot be written")
    await connections.attachDataset('crm', crm)
  })

  it('is erased from both, in the order that the service asks for', async () => {
    const { requests } = sources.privacy
    const submitted = { policyKey: 'default_erasure_policy', identities, residualSearch: true }
    const { id } = await requests.submit(submitted)
    const { status, failure, results, residualHits } = await requests.settled(id)
    expect([status, failure]).toEqual(['complete', undefined])
    expect(residualHits).toEqual([])
    expect(results?.map(({ collection, outcomes }) => [collection, outcomes.map((each) => each.outcome)])).toEqual([
      ['customers', ['erased']],
      ['tickets', ['erased']],
      ['visits', ['masked']],
    ])
    const { customers, tickets } = sources.records
    expect(customers?.records).toEqual([{ id: 2, email: 'bob@example.com', name: 'Bob' }])
    expect(tickets?.records).toHaveLength(25)
    expect(JSON.stringify(tickets)).not.toContain('ann@')
    for (const day of await readdir(join(sources.folder, 'visits'))) {
      if (day.startsWith('_')) continue
      const lines = await readFile(join(sources.folder, 'visits', day, 'part-0.jsonl'), 'utf8')
      const [ann, bob] = lines.split('\n').map((line) => (line ? JSON.parse(line) : line))
      expect(ann).toMatchObject({ email: null, ip: null, page: '/' })
      expect(bob).toMatchObject({ email: 'bob@example.com', ip: '192.0.2.1' })
    }
    const evidence = await requests.exportEvidence(id)
    expect(verifyEvidence(evidence, { key: await requests.evidenceKey() })).toMatchObject({ ok: true })
  })
})

it('runs as its README says', async () => {
  const cwd = resolve(import.meta.dirname, '..')
  const { stdout } = await promisify(execFile)('npm', ['--silent', 'start'], { cwd })
  expect(stdout).toContain('tickets: 25 delivered')
  expect(stdout).toContain('Rows: 26 erased, 3 masked.')
})
