import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import * as core from '@habeas/core'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { type S3BlobsOptions, s3Blobs } from '../src/index.js'
import { bucket, credentials, startObjectStorage } from './object-storage.js'

it('the README runs as it stands, except for the address of the storage', async () => {
  const storage = await startObjectStorage()
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const code = ts.transpileModule(example.replace(/^import .*\n/gm, ''), { compilerOptions }).outputText
  const statuses: string[] = []
  const given = {
    ...core,
    s3Blobs: ({ prefix = '' }: S3BlobsOptions) => s3Blobs({ ...storage.options, prefix }),
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [],
    email: 'ann@example.com',
    statuses,
  }
  const run = new Function(...Object.keys(given), `return (async () => {${code}; statuses.push(status)})()`)
  await run(...Object.values(given))
  expect(statuses).toEqual(['complete'])
  const { endpoint = '' } = storage.options
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  client.destroy()
  expect(Contents.map(({ Key }) => Key)).toEqual([expect.stringMatching(/^habeas\/requests\/.*\.blob$/)])
  await storage.stop()
})
