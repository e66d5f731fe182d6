import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileBlobs, memoryBlobs } from '@habeas/core'
import { blobsContract } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'

const directories: string[] = []

const newDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'habeas-test-'))
  directories.push(directory)
  return directory
}

afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true })
})

describe('memoryBlobs', () => blobsContract(it, memoryBlobs, { inMemory: true }))
describe('fileBlobs in a private temporary directory', () => blobsContract(it, () => fileBlobs()))
describe('fileBlobs in a given directory', () =>
  blobsContract(it, async () => fileBlobs({ directory: join(await newDirectory(), 'made', 'when', 'missing') })))
