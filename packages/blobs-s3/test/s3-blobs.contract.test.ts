import { blobsContract } from '@habeas/testkit'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { s3Blobs } from '../src/index.js'
import { startObjectStorage } from './object-storage.js'

let storage: Awaited<ReturnType<typeof startObjectStorage>>
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.stop())

let opened = 0
describe('s3Blobs', () =>
  blobsContract(it, () => {
    opened += 1
    return s3Blobs({ ...storage.options, prefix: `case-${opened}` })
  }))
