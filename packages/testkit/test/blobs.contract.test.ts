import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileBlobs, memoryBlobs } from '@habeas/core'
import { blobsContract } from '@habeas/testkit'
import { afterAll, beforeAll, describe, it, vi } from 'vitest'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'habeas-test-'))
  // Test runners end their workers by a signal, and then nothing removes temporary directories.
  vi.stubEnv('TMPDIR', directory)
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

describe('memoryBlobs', () => blobsContract(it, memoryBlobs, { inMemory: true }))
describe('fileBlobs in a private temporary directory', () => blobsContract(it, () => fileBlobs()))
describe('fileBlobs in a given directory', () =>
  blobsContract(it, async () =>
    fileBlobs({ directory: join(await mkdtemp(join(directory, 'given-')), 'made', 'here') }),
  ))
