import {
  type Assignment,
  type Connection,
  type Erase,
  isPrivacyError,
  type PrivacyError,
  type Value,
} from '@habeas/core'
import {
  connectorEraseContract,
  type EraseUnderTest,
  type Fixture,
  ledger,
  type MemoryDatabase,
  type MemoryRow,
  memoryConnector,
  memoryDatabase,
} from '@habeas/testkit'
import { type Broken, foundOut } from './failing-cases.js'

type Fault = (connection: Connection, database: MemoryDatabase) => Partial<Connection>
type Erasing = NonNullable<Connection['erase']>
type Assignments = readonly Assignment[]

/** The memory connector over the ledger, its connection under test changed by a fault. */
export const faulty =
  (fault: Fault) =>
  async (fixture: Fixture = ledger): Promise<EraseUnderTest> => {
    const database = memoryDatabase(fixture)
    const connector = memoryConnector({
      databases: { ledger: database },
      capabilities: { maxKeys: 20_000, nestedFields: true },
    })
    const connect = () => connector.connect({ database: 'ledger' })
    const connection = await connect()
    return {
      connector,
      connection: { ...connection, ...fault(connection, database) },
      other: await connect(),
      unreachable: { database: 'elsewhere' },
    }
  }

export const erasing = (erase: (sound: Erasing, database: MemoryDatabase) => Erasing) =>
  faulty((connection, database) => ({ erase: erase(connection.erase!, database) }))

/** Erases something else than what was asked. */
export const changed = (change: (erase: Erase, database: MemoryDatabase) => Erase) =>
  erasing((sound, database) => (erase, options) => sound(change(erase, database), options))

export const setting = (change: (set: Assignments, erase: Erase, database: MemoryDatabase) => Assignments) =>
  changed((erase, database) => (erase.set === 'delete' ? erase : { ...erase, set: change(erase.set, erase, database) }))

export const failing = (failure: (error: PrivacyError, erase: Erase) => unknown) =>
  erasing(
    (sound) => (erase, options) =>
      sound(erase, options).catch((error) => {
        throw isPrivacyError(error) ? failure(error, erase) : error
      }),
  )

export const rowsByKey = ({ collection, key, keys }: Erase, database: MemoryDatabase): (MemoryRow | undefined)[] =>
  keys[0]!.map((_, index) =>
    database[collection]?.rows.find((row) => key.every((name, part) => row[name] === keys[part]![index])),
  )

export const keysBy = (erase: Erase, change: (value: Value) => Value): Erase => ({
  ...erase,
  keys: erase.keys.map((column) => column.map(change)),
})

export const part = (erase: Erase, from: number, to: number): Erase => ({
  ...erase,
  keys: erase.keys.map((column) => column.slice(from, to)),
  set:
    erase.set === 'delete'
      ? 'delete'
      : erase.set.map((assignment) =>
          'to' in assignment
            ? assignment
            : {
                ...assignment,
                toEach: assignment.toEach.slice(from, to),
                ...(assignment.was && { was: assignment.was.slice(from, to) }),
              },
        ),
})

export const rowByRow: (sound: Erasing) => Erasing = (sound) => async (erase, options) => {
  for (let row = 0; row < erase.keys[0]!.length; row++) await sound(part(erase, row, row + 1), options)
}

export type BrokenEraser = Broken<EraseUnderTest>

/** Declares, for each broken connector, a test that the contract finds it out, without waiting long for what hangs. */
export const erasersFoundOut = (broken: readonly BrokenEraser[]): void =>
  foundOut((test, open) => connectorEraseContract(test, open, { patienceMilliseconds: 500 }), broken)
