import { S3Client } from '@aws-sdk/client-s3'
import { isPrivacyError } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { type S3BlobsOptions, s3Blobs } from '../src/index.js'
import { readOptions } from '../src/s3-options.js'

const bucket = 'habeas-blobs'
const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }

describe('s3Blobs', () => {
  const client = new S3Client({ region: 'eu-central-1', credentials })
  it.each<[object, string, string]>([
    [{}, 'bucket', ''],
    [{ bucket: 'x' }, 'bucket', 'name of a bucket'],
    [{ bucket: 'secret/blobs' }, 'bucket', ''],
    [{ bucket, prefix: '/secret' }, 'prefix', 'separated by "/"'],
    [{ bucket, prefix: 'a//secret' }, 'prefix', ''],
    [{ bucket, prefix: '../secret' }, 'prefix', ''],
    [{ bucket, prefix: '' }, 'prefix', ''],
    [{ bucket, client: {} }, 'client', 'S3Client'],
    [{ bucket, client: null }, 'client', 'S3Client'],
    [{ bucket, client, region: 'secret' }, 'region', 'together with client'],
    [{ bucket, client, timeoutSeconds: 5 }, 'timeoutSeconds', 'together with client'],
    [{ bucket, endpoint: 'secret' }, 'endpoint', 'https://'],
    [{ bucket, endpoint: 'ftp://secret.example' }, 'endpoint', 'https://'],
    [{ bucket, region: '' }, 'region', ''],
    [{ bucket, credentials: 'secret' }, 'credentials', 'accessKeyId'],
    [{ bucket, credentials: { accessKeyId: 'secret' } }, 'credentials', 'secretAccessKey'],
    [{ bucket, credentials: { accessKeyId: '', secretAccessKey: 'secret' } }, 'credentials', ''],
    [{ bucket, timeoutSeconds: 0 }, 'timeoutSeconds', ''],
    [{ bucket, secret: 1 }, 'secret', ''],
  ])('refuses %o, naming %s and no value', (options, option, words) => {
    const thrown = (() => {
      try {
        return s3Blobs(options as S3BlobsOptions)
      } catch (error) {
        return error
      }
    })()
    if (!isPrivacyError(thrown, 'misconfigured')) throw new Error('expected misconfigured', { cause: thrown })
    expect(thrown.details.option).toBe(option)
    expect(thrown.message).toContain(`Option '${option}' of s3Blobs`)
    expect(thrown.message).toContain(words)
    if (option !== 'secret') expect(JSON.stringify(thrown)).not.toMatch(/secret(?!AccessKey)/)
  })
})

describe('the meaning of the options', () => {
  const configOf = async (options: Omit<S3BlobsOptions, 'bucket'>) => {
    const { client, ...settings } = readOptions({ bucket, credentials: { ...credentials }, ...options })
    const { region, forcePathStyle, requestChecksumCalculation } = client.config
    client.destroy()
    return { ...settings, region: await region(), forcePathStyle, checksums: await requestChecksumCalculation() }
  }

  it.each<[Omit<S3BlobsOptions, 'bucket'>, object]>([
    [
      { region: 'eu-central-1' },
      { region: 'eu-central-1', forcePathStyle: false, checksums: 'WHEN_SUPPORTED', prefix: '' },
    ],
    [{ endpoint: 'https://s.example' }, { region: 'us-east-1', forcePathStyle: true, checksums: 'WHEN_REQUIRED' }],
    [
      { endpoint: 'https://s.example', region: 'x', forcePathStyle: false },
      { region: 'x', forcePathStyle: false },
    ],
    [{ region: 'x', prefix: 'a/b' }, { prefix: 'a/b/' }],
    [{ region: 'x', prefix: 'a/b/' }, { prefix: 'a/b/' }],
  ])('%o', async (options, meaning) => expect(await configOf(options)).toMatchObject(meaning))

  it('credentials that the SDK has marked as its own are taken', () => {
    const marked = { ...credentials, $source: { CREDENTIALS_CODE: 'e' } }
    expect(() => s3Blobs({ bucket, region: 'x', credentials: marked }).close()).not.toThrow()
  })
})
