import { type Connection, isPrivacyError } from '@habeas/core'
import {
  connectorEraseContract,
  type EraseUnderTest,
  ledger,
  type MemoryDatabase,
  memoryConnector,
  memoryDatabase,
} from '@habeas/testkit'
import { expect, it } from 'vitest'
import { rowByRow, rowsByKey } from './faulty-eraser.js'

type Erasing = NonNullable<Connection['erase']>

const refused = 'a check refuses a batch whole, and no value is repeated'

/** Runs the case of a check on a connector without transactions that erases like this. */
async function run(erasing: (sound: Erasing, database: MemoryDatabase) => Erasing, writesInParts?: boolean) {
  const database = memoryDatabase(ledger)
  const capabilities = { maxKeys: 20_000, nestedFields: true, transactions: false }
  const connector = memoryConnector({ databases: { ledger: database }, capabilities })
  const open = async (): Promise<EraseUnderTest> => {
    const connection = await connector.connect({ database: 'ledger' })
    const other = await connector.connect({ database: 'ledger' })
    const erase = erasing(connection.erase as Erasing, database)
    return { connector, connection: { ...connection, erase }, other, unreachable: { database: 'elsewhere' } }
  }
  const cases = new Map<string, () => Promise<void>>()
  const options = writesInParts === undefined ? {} : { writesInParts }
  connectorEraseContract((name, body) => cases.set(name, body), open, options)
  await cases.get(refused)?.()
}

it('values of a refused batch are found where a connector does not say that it writes in parts', async () => {
  await expect(run(rowByRow)).rejects.toThrow('the refused value is nowhere')
  await run((sound) => sound)
})

it('rows before a refused one may be written where it says so', async () => {
  await run(rowByRow, true)
})

it('and the refused row may not', async () => {
  const writingAll: Parameters<typeof run>[0] = (sound, database) => async (erase, options) => {
    try {
      await sound(erase, options)
    } catch (error) {
      if (!isPrivacyError(error, 'connection_failed')) throw error
      for (const row of rowsByKey(erase, database)) Object.assign(row as object, { name: 'written' })
      throw error
    }
  }
  await expect(run(writingAll, true)).rejects.toThrow('the refused row is as it was')
})
