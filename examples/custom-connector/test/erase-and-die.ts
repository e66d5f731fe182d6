/**
 * Erases in a lake and kills itself right before the call of the file system with the number that it is given. It ends by
 * itself once there are no more calls. Run by a test: `erase-and-die.ts FOLDER NUMBER`.
 */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const [, , folder = '', deadly = ''] = process.argv
let calls = 0

function countCall(): void {
  calls++
  if (calls === Number(deadly)) process.kill(process.pid, 'SIGKILL')
}

/** Each write to a file is cut in halves, so that a kill falls between them. */
async function inHalves(write: (data: Uint8Array) => Promise<unknown>, data: Uint8Array): Promise<void> {
  const half = Math.floor(data.length / 2)
  for (const part of [data.subarray(0, half), data.subarray(half)]) {
    countCall()
    await write(part)
  }
}

const { open, rename, rm } = fs
fs.open = async (...parameters) => {
  countCall()
  const handle = await open(...parameters)
  const [writeFile, sync] = [handle.writeFile.bind(handle), handle.sync.bind(handle)]
  handle.writeFile = (data) => inHalves(writeFile, data as Uint8Array)
  handle.sync = () => {
    countCall()
    return sync()
  }
  return handle
}
fs.rename = (...parameters) => {
  countCall()
  return rename(...parameters)
}
fs.rm = (...parameters) => {
  countCall()
  return rm(...parameters)
}
syncBuiltinESMExports()

const { lakeConnector } = await import('../lake-connector.js')
const connector = lakeConnector({ lockSeconds: 5 })
const connection = await connector.connect({ folder })
const anyOf = [{ fields: [{ path: ['email'] }], values: [['ann@example.com']] }]
const keys = [[1, 2, 3, 4, 5, 6]]
await connection.erase?.({ collection: 'visits', key: ['id'], keys: [[1]], anyOf, set: 'delete' })
const rest = { collection: 'visits', key: ['id'], keys, anyOf }
await connection.erase?.({ ...rest, set: [{ column: 'name', to: 'masked' }] })
await connection.close()
