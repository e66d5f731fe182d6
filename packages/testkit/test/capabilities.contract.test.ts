import { readFileSync } from 'node:fs'
import { connectorContract, type Fixture, memoryConnector, memoryDatabase } from '@habeas/testkit'
import { expect, it, vi } from 'vitest'

/** What the contract says about a connector that takes so many keys and rows at once, and which cases fail. */
async function toldOf(capabilities: { readonly maxKeys: number; readonly maxErased: number }) {
  const opened = async (fixture: Fixture) => {
    const connector = memoryConnector({ databases: { shop: memoryDatabase(fixture) }, capabilities })
    const [connection, other] = [
      await connector.connect({ database: 'shop' }),
      await connector.connect({ database: 'shop' }),
    ]
    return { connector, connection, other, unreachable: { database: 'elsewhere', password: 'a-wrong-password' } }
  }
  const cases = new Map<string, () => Promise<void>>()
  connectorContract((name, run) => cases.set(name, run), opened, { erasing: opened })
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const failed: string[] = []
  for (const [name, run] of cases) await run().catch(() => failed.push(name))
  const told = warned.mock.calls.map(([text]) => String(text))
  warned.mockRestore()
  return { told, failed, names: [...cases.keys()] }
}

it('names each case that needs more than a connector takes at once, and fails none for it', async () => {
  const { told, failed, names } = await toldOf({ maxKeys: 1, maxErased: 1 })
  expect(failed).toEqual([])
  expect(told).toContain(
    'NOT TESTED: rows of a batch are deleted, and no other. The case needs maxErased of at least 3, which is 1 here.',
  )
  expect(names.filter((name) => told.some((text) => text.includes(name))).length).toBe(told.length)
})

it('runs every case at the least values that its README says', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const least = (name: string) => Number(new RegExp(`\`${name}\` of at least (\\d+)`).exec(readme)?.[1])
  const values = { maxKeys: least('maxKeys'), maxErased: least('maxErased') }
  expect(await toldOf(values)).toMatchObject({ told: [], failed: [] })
  for (const name of ['maxKeys', 'maxErased'] as const)
    expect((await toldOf({ ...values, [name]: values[name] - 1 })).told).not.toEqual([])
})
